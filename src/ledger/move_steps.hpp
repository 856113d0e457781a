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

// The compare-and-set: the order's row goes from its state to the one after `event`, and `order`
// with it. It lets go of the buyer's place in the sale when it holds no stock any more. The state
// must allow the event.
void set_state(store::connection& c, sale::order& order, sale::order_event event);

// For a move that leaves the state as it is: the order's row changes nevertheless, so that two
// nodes of a database cluster cannot both have looked at it and decided.
void touch_order(store::connection& c, sale::order_no no);

// Units of a sale go back on the shelf, with their line in the stock log. Throws sql_error
// (corrupt) when the sale does not hold as many.
struct returned {
    sale::sale_id sale;
    std::int64_t units = 0;
    std::string note;
};
void release(store::connection& c, const returned& units, instant now);

// A line for each of these moves out of the state `from`; they learn the numbers of their events.
void write_events(store::connection& c, std::span<move_outcome> moves, sale::order_state from,
                  instant now);

// What the channel of an order, whose payment was begun, has to be asked for from now on.
struct asking {
    std::string_view question, cause;
};
void open_question_for(store::connection& c, sale::order_no no, const asking& what, instant now);
void settle_question_of(store::connection& c, sale::order_no no);

}  // namespace floodgate::ledger
