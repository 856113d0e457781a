#include "ledger/order_row.hpp"

namespace floodgate::ledger {

std::string select_orders(std::string_view rest, std::string_view hint) {
    std::string sql =
        "SELECT o.order_no, o.sale_id, o.buyer_id, o.quantity, o.amount_fen, o.amount_points, "
        "o.state, o.reason, o.created_ms, o.pay_by_ms, p.method, p.question, p.cause, p.tries, "
        "p.note, p.asked_since_ms FROM orders o";
    return sql.append(hint)
        .append(" LEFT JOIN payments p ON p.order_no = o.order_no ")
        .append(rest);
}

order_row read_order_row(const store::row_cursor& rows) {
    order_row r;
    sale::order& o = r.order;
    std::string state, cause;
    rows.read(o.no, o.sale, o.buyer, o.quantity, o.amount, o.amount_points, state, o.reason,
              o.created_at, o.pay_by, r.method, r.question, cause, r.tries, r.note, r.asked_since);
    o.state = to_order_state(state);
    if (r.question == asks_close) o.closing = cause;
    return r;
}

sale::order_state to_order_state(const std::string& word) {
    const auto known = sale::parse_order_state(word);
    if (!known)
        throw store::sql_error(store::sql_failure::corrupt,
                               "an order is in no known state: " + word);
    return *known;
}

}  // namespace floodgate::ledger
