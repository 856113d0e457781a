#include "ledger/settlements.hpp"

#include "ledger/guarded.hpp"
#include "ledger/id_statement.hpp"
#include "ledger/order_row.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {

result<std::vector<paid_order>> settlements::find(const std::vector<sale::order_no>& numbers) {
    return guarded("settlements.find", [&]() -> result<std::vector<paid_order>> {
        const auto c = db_.reader();
        std::vector<paid_order> all;
        const auto take = [&all](store::row_cursor& rows) {
            while (rows.next()) {
                order_row found = read_order_row(rows);
                all.push_back({found.order.no, std::move(found.method), found.order.amount,
                               found.order.state});
            }
        };
        ask_for_ids(*c, select_orders("WHERE o.order_no IN {}"), numbers, take);
        return all;
    });
}

result<std::vector<settlement>> settlements::between(const settlements_wanted& w) {
    return guarded("settlements.between", [&]() -> result<std::vector<settlement>> {
        const auto c = db_.reader();
        auto rows = c->ask(
            "SELECT e.order_no, o.amount_fen, e.to_state, e.at_ms FROM order_events e "
            "JOIN payments p ON p.order_no = e.order_no JOIN orders o ON o.order_no = e.order_no "
            "WHERE p.method = ? AND e.at_ms >= ? AND e.at_ms < ? "
            "AND e.to_state IN ('paid', 'refunded') ORDER BY e.id",
            w.method, w.from, w.until);
        std::vector<settlement> all;
        while (rows.next()) {
            settlement& s = all.emplace_back();
            std::string state;
            rows.read(s.no, s.amount, state, s.at);
            s.kind = to_order_state(state) == sale::order_state::paid ? money_move::payment
                                                                      : money_move::refund;
        }
        return all;
    });
}

}  // namespace floodgate::ledger
