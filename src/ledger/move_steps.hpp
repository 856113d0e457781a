// The pieces of a move, inside a write transaction that the caller holds.

#pragma once

#include <optional>
#include <span>
#include <string>

#include "ledger/move_book.hpp"
#include "ledger/order_row.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {

// The order, locked until the transaction ends.
std::optional<order_row> take_order(store::connection& c, sale::order_no no);

// The compare-and-set: moves the order's row, and `order` itself, to the state after `event`, which
// its present state must allow. An order that no longer holds stock loses its mark, so the buyer's
// place in the sale is free.
void set_state(store::connection& c, sale::order& order, sale::order_event event);

// For a move that does not change the state. It changes the order's row nevertheless, so that two
// nodes of a database cluster cannot both decide on what they read.
void touch_order(store::connection& c, sale::order_no no);

// Gives units back to a sale, with their line in the stock log. Throws sql_error (corrupt) when the
// sale does not hold as many.
struct returned {
    sale::sale_id sale;
    std::int64_t units = 0;
    std::string note;
};
void release(store::connection& c, const returned& units, instant now);

// Writes an event for each of these moves out of the state `from`, and puts its number into the
// move.
void write_events(store::connection& c, std::span<move_outcome> moves, sale::order_state from,
                  instant now);

// What the channel of an order whose payment was begun is to be asked for from now on.
struct asking {
    std::string_view question, cause;
};
void open_question_for(store::connection& c, sale::order_no no, const asking& what, instant now);
void settle_question_of(store::connection& c, sale::order_no no);

}  // namespace floodgate::ledger
