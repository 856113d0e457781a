// How far each line of promises has been entered. The transaction that enters promises also moves
// this position.

#pragma once

#include <map>

#include "ledger/order_book.hpp"
#include "sale/ids.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {

// 0 for a line that was never used. Throws sql_error (corrupt) if the journal's position is
// missing.
sale::sequence position_in(store::connection& c, sale::line_id line);
std::map<sale::line_id, sale::sequence> positions_in(store::connection& c);

// The same in a write transaction; the position is locked until the transaction ends.
sale::sequence take_position(store::connection& c, sale::line_id line);
// For a line whose position was taken in this transaction.
void move_position(store::connection& c, line_position to);

}  // namespace floodgate::ledger
