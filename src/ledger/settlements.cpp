#include "ledger/settlements.hpp"

#include <algorithm>

#include "ledger/guarded.hpp"
#include "ledger/order_row.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {

result<channel_trade> settlements::find(sale::order_no no, const std::string& method) {
    return guarded("settlements.find", [&]() -> result<channel_trade> {
        const auto c = db_.reader();
        auto rows = c->ask(
            "SELECT t.amount_fen, t.paid_ms, "
            "(SELECT COALESCE(SUM(r.amount_fen), 0) FROM refunds r "
            "WHERE r.order_no = t.order_no AND r.method = t.method), o.state "
            "FROM trades t JOIN orders o ON o.order_no = t.order_no "
            "WHERE t.order_no = ? AND t.method = ?",
            no, std::string_view(method));
        if (!rows.next()) return errc::not_found;
        channel_trade t;
        std::int64_t paid_ms = 0;
        std::string state;
        rows.read(t.amount, paid_ms, t.refunded, state);
        t.paid = paid_ms > 0;
        t.order = to_order_state(state);
        return t;
    });
}

result<std::vector<settlement>> settlements::between(const settlements_wanted& w) {
    return guarded("settlements.between", [&]() -> result<std::vector<settlement>> {
        const auto c = db_.reader();
        std::vector<settlement> all;
        const auto add = [&](money_move kind, const char* sql) {
            auto rows = c->ask(sql, std::string_view(w.method), w.from, w.until);
            while (rows.next()) {
                settlement& s = all.emplace_back();
                s.kind = kind;
                rows.read(s.no, s.amount, s.at);
            }
        };
        add(money_move::payment,
            "SELECT order_no, amount_fen, paid_ms FROM trades WHERE method = ? AND paid_ms >= ? "
            "AND "
            "paid_ms < ? AND state IN ('paid', 'extra')");
        add(money_move::refund,
            "SELECT order_no, amount_fen, done_ms FROM refunds WHERE method = ? AND done_ms >= ? "
            "AND "
            "done_ms < ? AND state = 'done'");
        std::ranges::stable_sort(all, {}, &settlement::at);
        return all;
    });
}

}  // namespace floodgate::ledger
