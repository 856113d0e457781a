// How far each line of promises has been entered: moved in the transaction that enters.

#pragma once

#include <map>

#include "ledger/order_book.hpp"
#include "sale/ids.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {

// 0 for a line that was never used. Throws sql_error (corrupt) when the journal's own is missing.
sale::sequence position_in(store::connection& c, sale::line_id line);
std::map<sale::line_id, sale::sequence> positions_in(store::connection& c);

// The same in a write transaction, which locks it until it ends.
sale::sequence take_position(store::connection& c, sale::line_id line);
// Of a line that was taken.
void move_position(store::connection& c, line_position to);

}  // namespace floodgate::ledger
