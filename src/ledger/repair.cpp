// The part of tally_book that changes the book.

#include <optional>

#include "base/cut_text.hpp"
#include "base/finding_list.hpp"
#include "ledger/entry.hpp"
#include "ledger/event_log.hpp"
#include "ledger/guarded.hpp"
#include "ledger/inspection.hpp"
#include "ledger/stock_log.hpp"
#include "ledger/tally_book.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {
namespace {

using store::access;
using store::transaction;

constexpr const char* repaired = "repaired";

// One sale's repair, inside a transaction that the caller holds.
class repair_work {
public:
    struct reason {
        std::string note;
        instant now;
    };
    repair_work(store::connection& c, sale::sale_id id, reason why)
        : connection_(c), id_(id), why_(std::move(why)), marks_(report_.done, "order") {}

    result<repair_report> run() {
        if (!read_sale()) return errc::not_found;
        read_orders();
        // Clear marks first: this may free the place that another order needs.
        for (const marked& m : to_clear_) clear_mark(m);
        for (const marked& m : to_set_) set_mark(m);
        join_log();
        if (!correct_held()) return errc::conflict;
        report_.open = inspect(connection_, id_);
        return std::move(report_);
    }

private:
    // An order whose mark does not fit its state.
    struct marked {
        sale::order_no no;
        sale::user_id buyer;
        sale::order_state state{};
    };

    bool read_sale() {
        std::string sql = "SELECT stock, held, buyer_limit_peak FROM sales WHERE id = ?";
        auto rows = connection_.ask(sql.append(connection_.speaks().for_update), id_);
        if (!rows.next()) return false;
        rows.read(now_.stock, now_.held, limit_);
        return true;
    }

    void read_orders() {
        auto rows = connection_.ask(
            "SELECT order_no, buyer_id, quantity, state, mark FROM orders WHERE sale_id = ? ORDER "
            "BY order_no",
            id_);
        while (rows.next()) {
            marked m;
            std::int64_t quantity = 0;
            std::string word;
            std::optional<std::uint64_t> mark;
            rows.read(m.no, m.buyer, quantity, word, mark);
            const auto state = sale::parse_order_state(word);
            if (!state || *state == sale::order_state::queued || quantity < 1) {
                readable_ = false;
                continue;
            }
            m.state = *state;
            if (!holds_stock(m.state)) {
                if (mark) to_clear_.push_back(m);
                continue;
            }
            counted_ += quantity;
            if (!mark || !mark_fits(*mark, m.no, limit_)) to_set_.push_back(m);
        }
    }

    void clear_mark(const marked& m) {
        connection_.run("UPDATE orders SET mark = NULL WHERE order_no = ? AND state = ?", m.no,
                        to_text(m.state));
        note_mark(m, "its mark was removed");
    }

    // Another order may have the buyer's place. A repair cannot decide which of them must go.
    void set_mark(const marked& m) {
        try {
            connection_.run("UPDATE orders SET mark = ? WHERE order_no = ? AND state = ?",
                            mark_for(m.no, limit_), m.no, to_text(m.state));
        } catch (const store::sql_error& e) {
            if (e.kind() != store::sql_failure::constraint_unique) throw;
            return;
        }
        note_mark(m, "its mark was set");
    }

    void note_mark(const marked& m, const char* what) {
        write_event(connection_, {m.no, m.buyer, id_, m.state, m.state, repaired, why_.now});
        marks_.add(fmt::format("order {}: is {}: {}", m.no.value, to_text(m.state), what));
    }

    // Explains gaps further up with `accounted` lines. After those a last line states the sale's
    // figures again, because every check looks at the last line.
    void join_log() {
        const figures end = log_end(connection_, id_);
        const std::vector<log_gap> gaps = gaps_in_log(connection_, id_);
        for (const log_gap& g : gaps) account_for(g);
        if (end == now_ && gaps.empty()) return;
        write_line(end, now_);
        if (end == now_) return;
        report_.done.push_back(
            fmt::format("sale {}: the log, which ended at {}, goes on to the sale's {}", id_.value,
                        shown(end), shown(now_)));
    }

    // False: the sale was changed meanwhile. The figure stays as it is if an order cannot be read,
    // because it may or may not hold units, and if the orders hold more than the stock.
    bool correct_held() {
        if (counted_ == now_.held || !readable_ || counted_ > now_.stock) return true;
        if (connection_.run("UPDATE sales SET held = held + ? WHERE id = ? AND held = ?",
                            counted_ - now_.held, id_, now_.held) == 0)
            return false;
        write_line(now_, {now_.stock, counted_});
        report_.done.push_back(fmt::format("sale {}: held went from {} to {}, as its orders hold",
                                           id_.value, now_.held, counted_));
        return true;
    }

    void account_for(const log_gap& g) {
        write_line(g.from, g.to, accounted, fmt::format("line {}: {}", g.line, why_.note));
        report_.done.push_back(
            fmt::format("sale {}: log line {} starts from {}, not from {}: "
                        "accounted for",
                        id_.value, g.line, shown(g.to), shown(g.from)));
    }

    void write_line(const figures& from, const figures& to) {
        write_line(from, to, repaired, why_.note);
    }

    void write_line(const figures& from, const figures& to, const char* kind,
                    const std::string& note) {
        write_move(connection_, {0, id_, kind, from.stock, to.stock, from.held, to.held,
                                 std::string(cut_text(note, note_bytes_max)), why_.now});
    }

    store::connection& connection_;
    sale::sale_id id_;
    reason why_;
    repair_report report_;
    finder marks_;

    figures now_;
    std::int64_t limit_ = 1;
    std::int64_t counted_ = 0;
    bool readable_ = true;
    std::vector<marked> to_clear_, to_set_;
};

}  // namespace

result<repair_report> tally_book::repair(sale::sale_id id, const std::string& note, instant now,
                                         const audit_maker<repair_report>& signed_by) {
    return guarded("tallies.repair", [&]() -> result<repair_report> {
        const auto c = db_.writer();
        transaction t(*c, access::write);
        auto report = repair_work(*c, id, {note, now}).run();
        if (!report) return report;
        if (signed_by) write_audit(*c, signed_by(*report));
        t.commit();
        return report;
    });
}

}  // namespace floodgate::ledger
