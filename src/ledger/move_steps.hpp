// The pieces of moves, inside a write transaction that the caller holds. Each is for many orders at
// once, in as few statements as that takes: a database server answers each of them over the
// network. No order may be named twice in a list.

#pragma once

#include <map>
#include <span>
#include <variant>
#include <vector>

#include "ledger/move_plan.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {

using order_list = std::vector<sale::order_no>;

// The orders that there are, locked until the transaction ends. A row that cannot be read comes as
// the error that says why (corrupt), so that it does not spoil the others.
using taken_row = std::variant<order_row, store::sql_error>;
std::map<sale::order_no, taken_row> take_orders(store::connection& c, const order_list& orders);

// The compare-and-set: moves the orders' rows, all of which are in the state `from`, to the state
// after `event`. An order that no longer holds stock loses its mark, so the buyer's place in the
// sale is free. Throws sql_error (conflict) when an order is in another state.
void set_states(store::connection& c, const order_list& orders, sale::order_state from,
                sale::order_event event);

// For moves that do not change the state. It changes the orders' rows nevertheless, so that two
// nodes of a database cluster cannot both decide on what they read.
void touch_orders(store::connection& c, const order_list& orders);

// Remembers the channels of orders for which none was remembered before.
struct new_payment {
    sale::order_no order;
    std::string_view method;
    instant begun;
};
void remember_channels(store::connection& c, std::span<const new_payment> payments);

void open_questions_for(store::connection& c, const order_list& orders, const asking& what,
                        instant now);
void settle_questions_of(store::connection& c, const order_list& orders);

// Writes an event for each of these moves, with the time that the move has in it, and puts the
// event's number into the move.
struct state_change {
    move_outcome* move;
    sale::order_state from{};
};
void write_events(store::connection& c, std::span<const state_change> changes);

}  // namespace floodgate::ledger
