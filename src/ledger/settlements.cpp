#include "ledger/settlements.hpp"

#include "ledger/guarded.hpp"
#include "ledger/order_row.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {

result<paid_order> settlements::find(sale::order_no no) {
    return guarded("settlements.find", [&]() -> result<paid_order> {
        const auto c = db_.reader();
        auto rows = c->ask(select_orders("WHERE o.order_no = ?"), no);
        if (!rows.next()) return errc::not_found;
        order_row found = read_order_row(rows);
        return paid_order{no, std::move(found.method), found.order.amount, found.order.state};
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
