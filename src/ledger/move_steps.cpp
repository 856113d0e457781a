#include "ledger/move_steps.hpp"

#include <cassert>

#include "ledger/stock_log.hpp"
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

}  // namespace

std::optional<order_row> take_order(store::connection& c, sale::order_no no) {
    std::string where = "WHERE o.order_no = ?";
    auto rows = c.ask(select_orders(where.append(c.speaks().for_update)), no);
    if (!rows.next()) return std::nullopt;
    return read_order_row(rows);
}

void set_state(store::connection& c, sale::order& order, sale::order_event event) {
    const auto to = sale::after(order.state, event);
    assert(to);
    if (*to == sale::order_state::closed) order.reason = to_text(event);
    const std::string_view sql =
        holds_stock(*to)
            ? "UPDATE orders SET state = ?, reason = ? WHERE order_no = ? AND state = ?"
            : "UPDATE orders SET state = ?, reason = ?, mark = NULL WHERE order_no = ? AND "
              "state = ?";
    if (c.run(sql, to_text(*to), order.reason, order.no, to_text(order.state)) != 1)
        throw store::sql_error(store::sql_failure::busy, "an order was moved by somebody else");
    order.state = *to;
    order.closing.clear();
}

void touch_order(store::connection& c, sale::order_no no) {
    c.run("UPDATE orders SET touched = touched + 1 WHERE order_no = ?", no);
}

void release(store::connection& c, const returned& back, instant now) {
    if (c.run("UPDATE sales SET held = held - ? WHERE id = ? AND held >= ?", back.units, back.sale,
              back.units) != 1)
        damaged("sale " + std::to_string(back.sale.value) +
                " does not hold what is given back: " + back.note);
    std::int64_t stock = 0, held = 0;
    {
        auto rows = c.ask("SELECT stock, held FROM sales WHERE id = ?", back.sale);
        if (rows.next()) rows.read(stock, held);
    }
    write_move(c,
               {0, back.sale, "released", stock, stock, held + back.units, held, back.note, now});
}

// One INSERT may have many rows, and databases differ in which of the new ids they report. So the
// ids are read back. They rise in the order of the moves; events that others wrote in between are
// skipped.
void write_events(store::connection& c, std::span<move_outcome> moves, sale::order_state from,
                  instant now) {
    const std::int64_t before = last_event_id(c);
    store::insert_rows(
        c, events_shape, std::span<const move_outcome>(moves),
        [&](store::statement& s, int place, const move_outcome& m) {
            store::bind_after(s, place, m.order.no, m.order.buyer, m.order.sale, to_text(from),
                              to_text(m.order.state), m.order.reason, now);
        },
        [](auto) { damaged("an event's id is taken"); });
    auto rows = c.ask("SELECT id, order_no FROM order_events WHERE id > ? ORDER BY id", before);
    auto next = moves.begin();
    while (next != moves.end() && rows.next())
        if (rows.get<sale::order_no>(1) == next->order.no) {
            next->event = rows.get<std::int64_t>(0);
            (next++)->at = now;
        }
    if (next != moves.end()) damaged("an event that was written is not there");
}

void open_question_for(store::connection& c, sale::order_no no, const asking& what, instant now) {
    c.run(
        "UPDATE payments SET question = ?, cause = ?, tries = 0, asked_since_ms = ?, "
        "next_try_ms = ?, note = '' WHERE order_no = ?",
        what.question, what.cause, now, now, no);
    touch_order(c, no);
}

void settle_question_of(store::connection& c, sale::order_no no) {
    c.run("UPDATE payments SET question = '', cause = '' WHERE order_no = ?", no);
}

}  // namespace floodgate::ledger
