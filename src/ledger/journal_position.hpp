// How far the journal has been entered: moved in the transaction that enters.

#pragma once

#include "sale/ids.hpp"
#include "store/sql.hpp"

namespace floodgate::ledger {

sale::sequence position_in(store::connection& c);
void move_position(store::connection& c, sale::sequence to);

}  // namespace floodgate::ledger
