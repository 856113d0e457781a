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

// The orders that there are, with their trades and refunds, locked until the transaction ends. A
// row that cannot be read comes as the error that says why (corrupt), so that it does not spoil the
// others.
using taken_row = std::variant<order_row, store::sql_error>;
using taken_orders = std::map<sale::order_no, taken_row>;
taken_orders take_orders(store::connection& c, const order_list& orders);

// The compare-and-set: moves the orders' rows, all of which are in the state `from`, to the state
// after `event`; none is being closed any more. An order that no longer holds stock loses its mark,
// so the buyer's place in the sale is free. The rows note when they were paid (and how), closed or
// refunded. Throws sql_error (conflict) when an order is in another state.
struct state_step {
    sale::order_state from{};
    sale::order_event event{};
    std::string_view method{};  // paid: with which

    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads the generated comparison
    auto operator<=>(const state_step&) const = default;
};
void set_states(store::connection& c, const order_list& orders, const state_step& how, instant at);

// For moves that do not change the state. It changes the orders' rows nevertheless, so that two
// nodes of a database cluster cannot both decide on what they read.
void touch_orders(store::connection& c, const order_list& orders);

// Unpaid orders that are being closed from now on.
void set_closing(store::connection& c, const order_list& orders, std::string_view why);

// What becomes of the orders' trades.
struct changed_trade {
    sale::order_no order;
    const trade_change* change;
    instant now;
};
void write_trades(store::connection& c, std::span<const changed_trade> changes);

// Refunds that are to be asked for from now on.
void add_refunds(store::connection& c, std::span<const refund* const> refunds);
struct finished_refund {
    sale::order_no order;
    std::string_view number;
    sale::fen given_back;  // of the order's money
    instant now;
};
void finish_refunds(store::connection& c, std::span<const finished_refund> refunds);

// Orders that are paid with money: notes the points that their sales let the buyers earn.
struct paid_order {
    const sale::order* order;
    instant at;
};
void add_earnings(store::connection& c, std::span<const paid_order> paid);
// Orders that are refunded: points that were not given yet are to be looked at at once.
void call_in_earnings(store::connection& c, const order_list& orders);

// Writes an event for each of these moves, with the time that the move has in it, and puts the
// event's number into the move.
struct state_change {
    move_outcome* move;
    sale::order_state from{};
};
void write_events(store::connection& c, std::span<const state_change> changes);

}  // namespace floodgate::ledger
