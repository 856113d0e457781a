#include "ledger/order_book.hpp"

#include "ledger/attempt.hpp"
#include "ledger/entry.hpp"
#include "ledger/inspection.hpp"
#include "ledger/journal_position.hpp"
#include "store/sql.hpp"

namespace floodgate::ledger {
namespace {

using store::access;
using store::transaction;

sale::order order_in(const store::row_cursor& rows) {
    sale::order o;
    std::string state;
    rows.read(o.no, o.sale, o.buyer, o.quantity, o.amount, o.amount_points, state, o.reason,
              o.created_at, o.pay_by);
    const auto known = sale::parse_order_state(state);
    if (!known)
        throw store::sql_error(store::sql_failure::corrupt,
                               "an order is in no known state: " + state);
    o.state = *known;
    return o;
}

}  // namespace

result<entry_report> order_book::enter(std::span<const sale::promise> batch, sale::sequence last) {
    return guarded_entry("orders.enter", [&]() -> result<entry_report> {
        const auto c = db_.writer();
        transaction t(*c, access::write);
        if (last <= position_in(*c)) return entry_report{.known = batch.size(), .refused = {}};
        entry_report report = entry(*c).run(batch);
        move_position(*c, last);
        t.commit();
        return report;
    });
}

result<sale::sequence> order_book::position() {
    return guarded("orders.position",
                   [&]() -> result<sale::sequence> { return position_in(*db_.reader()); });
}

result<sale::order> order_book::find(sale::order_no no) {
    return guarded("orders.find", [&]() -> result<sale::order> {
        const auto c = db_.reader();
        auto rows = c->ask(
            "SELECT order_no, sale_id, buyer_id, quantity, amount_fen, amount_points, state, "
            "reason, created_ms, pay_by_ms FROM orders WHERE order_no = ?",
            no);
        if (!rows.next()) return errc::not_found;
        return order_in(rows);
    });
}

result<std::vector<sale::order>> order_book::of_buyer(sale::user_id buyer, sale::order_no before,
                                                      std::size_t limit) {
    return guarded("orders.of_buyer", [&]() -> result<std::vector<sale::order>> {
        const auto c = db_.reader();
        const std::int64_t below =
            before.value == 0 ? INT64_MAX : static_cast<std::int64_t>(before.value);
        auto rows = c->ask(
            "SELECT order_no, sale_id, buyer_id, quantity, amount_fen, amount_points, state, "
            "reason, created_ms, pay_by_ms FROM orders WHERE buyer_id = ? AND order_no < ? "
            "ORDER BY order_no DESC LIMIT ?",
            buyer, below, limit);
        std::vector<sale::order> orders;
        while (rows.next()) orders.push_back(order_in(rows));
        return orders;
    });
}

result<void> order_book::for_each_held(const std::function<void(const held_order&)>& visit) {
    return guarded("orders.for_each_held", [&]() -> result<void> {
        const auto c = db_.reader();
        auto rows = c->ask(
            "SELECT order_no, sale_id, buyer_id, quantity, idempotency_key FROM orders "
            "WHERE mark IS NOT NULL ORDER BY order_no");
        held_order o;
        while (rows.next()) {
            rows.read(o.no, o.sale, o.buyer, o.quantity, o.key);
            visit(o);
        }
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
