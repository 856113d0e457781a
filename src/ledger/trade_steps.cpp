// The pieces of moves that are about money: trades and refunds.

#include <map>
#include <tuple>

#include "ledger/id_statement.hpp"
#include "ledger/move_steps.hpp"
#include "ledger/refund_row.hpp"
#include "store/sql/insert_rows.hpp"

namespace floodgate::ledger {
namespace {

constexpr store::insert_shape trades_shape{
    "trades (order_no, method, state, amount_fen, amount_points, begun_ms, paid_ms, asked, tries, "
    "asked_since_ms, next_try_ms, note)",
    12};
constexpr store::insert_shape refunds_shape{
    "refunds (refund_no, order_no, method, amount_fen, amount_points, cause, reason, asked_by, "
    "state, asked_since_ms, done_ms, tries, next_try_ms, note)",
    14};

[[noreturn]] void taken(const char* what) {
    throw store::sql_error(store::sql_failure::corrupt, what);
}

bool brings_money(trade_state s) { return s == trade_state::paid || s == trade_state::extra; }

void add_trades(store::connection& c, std::span<const changed_trade> added) {
    store::insert_rows(
        c, trades_shape, added,
        [](store::statement& s, int before, const changed_trade& t) {
            const trade_change& as = *t.change;
            const std::int64_t paid_ms = brings_money(as.state) ? to_ms(t.now) : 0;
            store::bind_after(s, before, t.order, as.method, to_text(as.state), as.price.money,
                              as.price.in_points, t.now, paid_ms, 0, 0, 0, 0, "");
        },
        [](auto) { taken("a trade is there that its order does not know"); });
}

// The trades with one method that all become the same at the same time.
using alike = std::tuple<std::string_view, trade_state, bool, instant>;

void change(store::connection& c, const alike& what, const order_list& orders) {
    const auto& [method, state, asks, now] = what;
    std::string sql = "UPDATE trades";
    if (asks) {
        sql +=
            " SET asked = 1, tries = 0, asked_since_ms = ?, next_try_ms = ?, note = '' WHERE "
            "method "
            "= ? AND order_no IN {}";
        run_for_ids(c, sql, orders, now, now, method);
    } else if (brings_money(state)) {
        sql += " SET asked = 0, state = ?, paid_ms = ? WHERE method = ? AND order_no IN {}";
        run_for_ids(c, sql, orders, to_text(state), now, method);
    } else {
        sql += " SET asked = 0, state = ? WHERE method = ? AND order_no IN {}";
        run_for_ids(c, sql, orders, to_text(state), method);
    }
}

}  // namespace

void write_trades(store::connection& c, std::span<const changed_trade> changes) {
    std::vector<changed_trade> added;
    std::map<alike, order_list> changed;
    for (const changed_trade& t : changes) {
        const trade_change& as = *t.change;
        if (as.is_new) {
            added.push_back(t);
        } else {
            changed[{as.method, as.state, as.asks, t.now}].push_back(t.order);
        }
    }
    add_trades(c, added);
    for (const auto& [what, orders] : changed) change(c, what, orders);
}

void add_refunds(store::connection& c, std::span<const refund* const> refunds) {
    store::insert_rows(
        c, refunds_shape, refunds,
        [](store::statement& s, int before, const refund* r) {
            store::bind_after(s, before, std::string_view(r->number), r->order,
                              std::string_view(r->method), r->price.money, r->price.in_points,
                              to_text(r->cause), std::string_view(r->reason), r->asked_by,
                              refund_is_asked, r->asked_at, 0, 0, r->asked_at, "");
        },
        [](auto) { taken("a refund is there that its order does not know"); });
    order_list counted;
    for (const refund* r : refunds) counted.push_back(r->order);
    run_for_ids(c, update_by_key(c, "orders") + " SET refunds = refunds + 1 WHERE order_no IN {}",
                counted);
}

void finish_refunds(store::connection& c, std::span<const finished_refund> refunds) {
    std::map<sale::fen, order_list> given_back;
    for (const finished_refund& r : refunds) {
        if (c.run("UPDATE refunds SET state = ?, done_ms = ? WHERE refund_no = ? AND state = ?",
                  refund_is_done, r.now, r.number, refund_is_asked) == 0)
            throw store::sql_error(store::sql_failure::conflict, "a refund was finished meanwhile");
        if (r.given_back.value > 0) given_back[r.given_back].push_back(r.order);
    }
    for (const auto& [amount, orders] : given_back)
        run_for_ids(c,
                    update_by_key(c, "orders") +
                        " SET refunded_fen = refunded_fen + ? WHERE order_no IN {}",
                    orders, amount);
}

}  // namespace floodgate::ledger
