// The part of move_book that closes orders not paid in time, many in one transaction.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ledger/guarded.hpp"
#include "ledger/move_steps.hpp"

namespace floodgate::ledger {
namespace {

using sale::order_event;

// What one sale gets back.
struct share {
    std::int64_t held = 0;  // before; less than its orders hold if the ledger was changed by hand
    std::int64_t units = 0;
    std::size_t orders = 0;
    sale::order_no first{}, last{};

    bool takes(const sale::order& o) {
        if (units + o.quantity > held) return false;
        first = orders == 0 ? o.no : std::min(first, o.no);
        last = std::max(last, o.no);
        units += o.quantity;
        ++orders;
        return true;
    }
    std::string note() const {
        const char* word = to_text(order_event::timed_out);
        if (orders == 1) return fmt::format("order {} {}", first.value, word);
        return fmt::format("{} orders {}, {} to {}", orders, word, first.value, last.value);
    }
};
using shares = std::map<sale::sale_id, share>;  // in order of id, as entry.hpp goes

// In the order of the index orders_due. A sale that does not even hold the units of one order needs
// a repair; until then its orders are left out, so that they do not hold up the others.
std::string select_due() {
    return select_orders(
        "WHERE o.state = 'unpaid' AND o.pay_by_ms <= ? "
        "AND (p.question IS NULL OR p.question <> 'close') "
        "AND EXISTS (SELECT 1 FROM sales s WHERE s.id = o.sale_id AND s.held >= o.quantity) "
        "ORDER BY o.pay_by_ms, o.order_no LIMIT ?");
}

// Asked before the writer's connection is taken: usually nothing is due, and the clerk wants to
// write.
bool any_due(store::connection& c, instant now) { return c.ask(select_due(), now, 1).next(); }

std::vector<order_row> take_due(store::connection& c, instant now, std::size_t max) {
    auto rows = c.ask(select_due().append(c.speaks().for_update), now, max);
    std::vector<order_row> due;
    while (rows.next()) due.push_back(read_order_row(rows));
    return due;
}

// The row is locked, so that the figure is still true when the units go back.
std::int64_t held_by(store::connection& c, sale::sale_id id) {
    std::string sql = "SELECT held FROM sales WHERE id = ?";
    auto rows = c.ask(sql.append(c.speaks().for_update), id);
    return rows.next() ? rows.get<std::int64_t>(0) : 0;
}

class round_of_closing {
public:
    round_of_closing(store::connection& c, instant now) : book_(c), now_(now) {}

    due_report run(std::size_t max) {
        std::vector<order_row> due = take_due(book_, now_, max);
        report_.found = due.size();
        for (order_row& r : due) {
            if (r.begun()) {
                ask_channel(std::move(r.order));
            } else {
                close(std::move(r.order));
            }
        }
        for (const auto& [id, s] : shares_)
            if (s.orders > 0) release(book_, {id, s.units, s.note()}, now_);
        if (!report_.closed.empty())
            write_events(book_, report_.closed, sale::order_state::unpaid, now_);
        return std::move(report_);
    }

private:
    void ask_channel(sale::order o) {
        o.closing = to_text(order_event::timed_out);
        open_question_for(book_, o.no, {asks_close, o.closing}, now_);
        report_.closing.push_back({std::move(o), true});
    }

    void close(sale::order o) {
        const auto [s, fresh] = shares_.try_emplace(o.sale);
        if (fresh) s->second.held = held_by(book_, o.sale);
        if (!s->second.takes(o)) return;
        set_state(book_, o, order_event::timed_out);
        report_.closed.push_back({std::move(o), true});
    }

    store::connection& book_;
    const instant now_;
    shares shares_;
    due_report report_;
};

}  // namespace

result<due_report> move_book::close_due(instant now, std::size_t max) {
    return guarded("moves.close_due", [&]() -> result<due_report> {
        if (!any_due(*db_.reader(), now)) return due_report{};
        const auto c = db_.writer();
        store::transaction t(*c, store::access::write);
        due_report report = round_of_closing(*c, now).run(max);
        t.commit();
        return report;
    });
}

}  // namespace floodgate::ledger
