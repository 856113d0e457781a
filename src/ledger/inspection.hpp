// What order_book::check and tally_book::explain look at.

#pragma once

#include "ledger/order_book.hpp"

namespace floodgate::store {
class connection;
}

namespace floodgate::ledger {

// Of each kind of trouble, the first so many are named; a last sentence says that there are more.
inline constexpr std::size_t findings_per_kind_max = 100;

// Reads only. The caller's transaction gives one view of all tables.
findings inspect(store::connection& c);
// Of these: payments whose question does not fit their order, events that lead elsewhere.
void inspect_moves(store::connection& c, findings& all);
// Of one sale only: its row, orders, log and letters.
findings inspect(store::connection& c, sale::sale_id id);

}  // namespace floodgate::ledger
