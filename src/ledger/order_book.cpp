#include "ledger/order_book.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "ledger/entry.hpp"
#include "ledger/guarded.hpp"
#include "ledger/inspection.hpp"
#include "ledger/journal_position.hpp"
#include "ledger/order_row.hpp"
#include "sale/partition.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {
namespace {

using store::access;
using store::transaction;

// Visits the orders that a query finds; its columns are those of held_order.
void visit_all(store::row_cursor rows, const std::function<void(const held_order&)>& visit) {
    held_order o;
    while (rows.next()) {
        rows.read(o.no, o.sale, o.buyer, o.quantity, o.key);
        visit(o);
    }
}

// How long a call has waited for locks and other nodes. The buyer's time to pay begins after that
// wait. Less than 100 ms does not count as a wait.
class waiting_time {
public:
    milliseconds so_far() const {
        const auto passed =
            std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begun_);
        return passed < moment ? milliseconds(0) : passed;
    }

private:
    static constexpr milliseconds moment{100};
    const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace

result<entry_report> order_book::enter(std::span<const sale::promise> batch, line_position last,
                                       instant now) {
    const waiting_time waited;
    return guarded_entry("orders.enter", [&]() -> result<entry_report> {
        const auto c = db_.writer();
        transaction t(*c, access::write);
        if (last.at <= take_position(*c, last.line))
            return entry_report{.known = batch.size()};  // an earlier try has entered them
        entry_report report = entry(*c, now + waited.so_far()).run(batch);
        move_position(*c, last);
        t.commit();
        return report;
    });
}

result<entry_report> order_book::enter_strays(std::span<const sale::promise> batch, instant now) {
    const waiting_time waited;
    return guarded_entry("orders.enter_strays", [&]() -> result<entry_report> {
        const auto c = db_.writer();
        transaction t(*c, access::write);
        lock_sales(*c, batch);  // first, so that another writer of the same promises waits
        const auto known = known_numbers(*c, batch);
        std::vector<sale::promise> fresh;
        for (const sale::promise& p : batch)
            if (!known.contains(p.order)) fresh.push_back(p);
        entry_report report = entry(*c, now + waited.so_far()).run(fresh);
        report.known += batch.size() - fresh.size();
        t.commit();
        return report;
    });
}

result<void> order_book::probe() {
    return guarded("orders.probe", [&]() -> result<void> {
        const auto c = db_.writer();
        transaction t(*c, access::write);
        move_position(*c, take_position(*c, sale::journal_line));
        t.commit();
        return {};
    });
}

result<sale::sequence> order_book::position(sale::line_id line) {
    return guarded("orders.position",
                   [&]() -> result<sale::sequence> { return position_in(*db_.reader(), line); });
}

result<std::map<sale::line_id, sale::sequence>> order_book::positions() {
    return guarded("orders.positions", [&]() -> result<std::map<sale::line_id, sale::sequence>> {
        return positions_in(*db_.reader());
    });
}

result<std::uint64_t> order_book::journal_id() {
    return guarded("orders.journal_id", [&]() -> result<std::uint64_t> {
        const auto c = db_.reader();
        auto rows =
            c->ask("SELECT journal_id FROM journal_position WHERE line = ?", sale::journal_line);
        return rows.next() ? rows.get<std::uint64_t>(0) : 0;
    });
}

result<void> order_book::remember_journal(std::uint64_t id) {
    return guarded("orders.remember_journal", [&]() -> result<void> {
        const auto c = db_.writer();
        if (c->run(
                "UPDATE journal_position SET journal_id = ? WHERE line = ? AND journal_id IN (0, "
                "?)",
                id, sale::journal_line, id) == 0)
            return errc::conflict;
        return {};
    });
}

result<std::uint64_t> order_book::raise_epoch(sale::line_id line, std::uint64_t beyond) {
    return guarded("orders.raise_epoch", [&]() -> result<std::uint64_t> {
        const auto c = db_.writer();
        transaction t(*c, access::write);
        const std::uint64_t last = sale::to_place(take_position(*c, line)).epoch;
        const std::uint64_t epoch = std::max(last, beyond) + 1;
        move_position(*c, {sale::to_sequence({epoch, 0}), line});
        t.commit();
        return epoch;
    });
}

result<sale::order> order_book::find(sale::order_no no) {
    return guarded("orders.find", [&]() -> result<sale::order> {
        const auto c = db_.reader();
        auto rows = c->ask(select_orders("WHERE o.order_no = ?"), no);
        if (!rows.next()) return errc::not_found;
        return read_order_row(rows).order;
    });
}

result<std::vector<sale::order>> order_book::of_buyer(sale::user_id buyer, sale::order_no before,
                                                      std::size_t limit) {
    return guarded("orders.of_buyer", [&]() -> result<std::vector<sale::order>> {
        const auto c = db_.reader();
        const std::int64_t below =
            before.value == 0 ? INT64_MAX : static_cast<std::int64_t>(before.value);
        // Without the hint, MariaDB uses only the buyer and reads all newer orders before a later
        // page.
        const std::string hint = fmt::format(fmt::runtime(c->speaks().by_index), "orders_of_buyer");
        auto rows = c->ask(select_orders("WHERE o.buyer_id = ? AND o.order_no < ? "
                                         "ORDER BY o.order_no DESC LIMIT ?",
                                         hint),
                           buyer, below, limit);
        std::vector<sale::order> orders;
        while (rows.next()) orders.push_back(read_order_row(rows).order);
        return orders;
    });
}

result<void> order_book::for_each_held(const std::function<void(const held_order&)>& visit) {
    return guarded_visit("orders.for_each_held", [&]() -> result<void> {
        const auto c = db_.reader();
        visit_all(c->ask("SELECT order_no, sale_id, buyer_id, quantity, idempotency_key "
                         "FROM orders WHERE mark IS NOT NULL ORDER BY order_no"),
                  visit);
        return {};
    });
}

result<void> order_book::for_each_spent_key(sale::sale_id sale,
                                            const std::function<void(const held_order&)>& visit) {
    return guarded_visit("orders.for_each_spent_key", [&]() -> result<void> {
        const auto c = db_.reader();
        visit_all(c->ask("SELECT order_no, sale_id, buyer_id, quantity, idempotency_key "
                         "FROM orders WHERE sale_id = ? AND mark IS NULL AND idempotency_key IS "
                         "NOT NULL ORDER BY order_no",
                         sale),
                  visit);
        return {};
    });
}

result<sale::order_no> order_book::latest_number() {
    return guarded("orders.latest_number", [&]() -> result<sale::order_no> {
        const auto c = db_.reader();
        auto rows = c->ask(
            "SELECT MAX(latest) FROM (SELECT MAX(order_no) AS latest FROM orders UNION ALL "
            "SELECT MAX(order_no) FROM letters) AS both_tables");
        return rows.next() ? rows.get<sale::order_no>(0) : sale::order_no{};
    });
}

result<findings> order_book::check() {
    return guarded("orders.check", [&]() -> result<findings> {
        const auto c = db_.reader();
        transaction t(*c, access::read);  // one view of all tables
        return inspect(*c);
    });
}

}  // namespace floodgate::ledger
