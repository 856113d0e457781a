#include "ledger/settlements.hpp"

#include <algorithm>

#include "ledger/guarded.hpp"
#include "ledger/id_statement.hpp"
#include "ledger/order_row.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {

result<std::vector<channel_trade>> settlements::find(const std::vector<sale::order_no>& numbers,
                                                     const std::string& method) {
    return guarded("settlements.find", [&]() -> result<std::vector<channel_trade>> {
        const auto c = db_.reader();
        std::vector<channel_trade> all;
        const auto take = [&all](store::row_cursor& rows) {
            while (rows.next()) {
                channel_trade& t = all.emplace_back();
                std::int64_t paid_ms = 0;
                std::string state;
                rows.read(t.no, t.amount, paid_ms, t.refunded, state);
                t.paid = paid_ms > 0;
                t.order = to_order_state(state);
            }
        };
        ask_for_ids(*c,
                    "SELECT t.order_no, t.amount_fen, t.paid_ms, "
                    "(SELECT COALESCE(SUM(r.amount_fen), 0) FROM refunds r "
                    "WHERE r.order_no = t.order_no AND r.method = t.method), o.state "
                    "FROM trades t JOIN orders o ON o.order_no = t.order_no "
                    "WHERE t.method = ? AND t.order_no IN {}",
                    numbers, take, std::string_view(method));
        return all;
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
