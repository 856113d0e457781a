#include "ledger/move_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "ledger/feed_log.hpp"
#include "ledger/id_statement.hpp"
#include "store/sql/insert_rows.hpp"

namespace floodgate::ledger {
namespace {

constexpr store::insert_shape events_shape{
    "order_events (order_no, buyer_id, sale_id, from_state, to_state, reason, at_ms)", 7};
std::int64_t last_event_id(store::connection& c) {
    auto rows = c.ask("SELECT MAX(id) FROM order_events");
    return rows.next() ? rows.get<std::int64_t>(0) : 0;
}

[[noreturn]] void damaged(const std::string& what) {
    throw store::sql_error(store::sql_failure::corrupt, what);
}

// The column that says when this happened; empty: none does.
std::string_view time_column(sale::order_event event) {
    switch (event) {
    case sale::order_event::paid: return "paid_ms";
    case sale::order_event::cancelled:
    case sale::order_event::timed_out: return "closed_ms";
    case sale::order_event::part_refunded:
    case sale::order_event::refund_done: return "refunded_ms";
    default: return {};
    }
}

bool has_one_writer(store::connection& c) { return c.speaks().for_update.empty(); }

// One INSERT may have many rows, and databases differ in which of the new ids they report. A
// database with one writer gives them without gaps, and the last one tells them all. From others
// the ids are read back. They rise in the order of the moves; events that others wrote in between
// are skipped.
void take_event_ids(store::connection& c, std::span<const state_change> changes,
                    std::int64_t before) {
    if (has_one_writer(c)) {
        std::int64_t id = c.last_insert_id() - static_cast<std::int64_t>(changes.size());
        for (const state_change& change : changes) change.move->event = ++id;
        return;
    }
    auto rows = c.ask("SELECT id, order_no FROM order_events WHERE id > ? ORDER BY id", before);
    auto next = changes.begin();
    while (next != changes.end() && rows.next())
        if (rows.get<sale::order_no>(1) == next->move->order.no)
            (next++)->move->event = rows.get<std::int64_t>(0);
    if (next != changes.end()) damaged("an event that was written is not there");
}

}  // namespace

taken_orders take_orders(store::connection& c, const order_list& orders) {
    taken_orders found;
    const auto read = [&](store::row_cursor& rows) {
        while (rows.next()) {
            const auto no = rows.get<sale::order_no>(0);
            try {
                found.emplace(no, read_order_row(rows));
            } catch (const store::sql_error& damage) {
                found.emplace(no, damage);
            }
        }
    };
    std::string where = "WHERE o.order_no IN {}";
    ask_for_ids(c, select_orders(where.append(c.speaks().for_update), c.speaks().by_key), orders,
                read);
    rows_by_order readable, with_refunds;
    for (auto& [no, row] : found) {
        auto* const order = std::get_if<order_row>(&row);
        if (order) readable.emplace(no, order);
        if (order && order->refunds > 0) with_refunds.emplace(no, order);
    }
    take_trades(c, readable);
    take_asked_refunds(c, with_refunds);
    return found;
}

void set_states(store::connection& c, const order_list& orders, const state_step& how, instant at) {
    const auto to = sale::after(how.from, how.event);
    assert(to);
    const std::string_view time = time_column(how.event);
    std::string sql = update_by_key(c, "orders") + " SET state = ?, closing = ''";
    if (!time.empty()) sql.append(", ").append(time) += " = ?";
    if (!how.method.empty()) sql += ", method = ?";
    if (*to == sale::order_state::closed)
        sql.append(", reason = '").append(to_text(how.event)) += "'";
    if (!holds_stock(*to)) sql += ", mark = NULL";
    sql += " WHERE state = ? AND order_no IN {}";
    const char *from = to_text(how.from), *now = to_text(*to);
    const auto found = time.empty() ? run_for_ids(c, sql, orders, now, from)
                       : how.method.empty()
                           ? run_for_ids(c, sql, orders, now, at, from)
                           : run_for_ids(c, sql, orders, now, at, how.method, from);
    if (found != static_cast<std::int64_t>(orders.size()))
        throw store::sql_error(store::sql_failure::conflict, "an order was moved by somebody else");
}

void touch_orders(store::connection& c, const order_list& orders) {
    if (c.speaks().for_update.empty()) return;  // It has one writer, and there are no such nodes.
    run_for_ids(c, update_by_key(c, "orders") + " SET touched = touched + 1 WHERE order_no IN {}",
                orders);
}

void set_closing(store::connection& c, const order_list& orders, std::string_view why) {
    run_for_ids(
        c,
        update_by_key(c, "orders") +
            " SET closing = ?, touched = touched + 1 WHERE state = 'unpaid' AND order_no IN "
            "{}",
        orders, why);
}

void write_events(store::connection& c, std::span<const state_change> changes) {
    if (changes.empty()) return;
    const std::int64_t before = has_one_writer(c) ? 0 : last_event_id(c);
    store::insert_rows(
        c, events_shape, changes,
        [](store::statement& s, int place, const state_change& change) {
            const sale::order& o = change.move->order;
            store::bind_after(s, place, o.no, o.buyer, o.sale, to_text(change.from),
                              to_text(o.state), std::string_view(o.reason), change.move->at);
        },
        [](auto) { damaged("an event's id is taken"); });
    take_event_ids(c, changes, before);
    std::vector<std::int64_t> ids;
    ids.reserve(changes.size());
    for (const state_change& change : changes) ids.push_back(change.move->event);
    log_moves(c, ids, changes.back().move->at);
}

}  // namespace floodgate::ledger
