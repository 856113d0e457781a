// What order_book::check and tally_book::explain look at.

#pragma once

#include <optional>

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
// Of these, and of one sale: orders in a state that no event brought them to, or without payment.
void inspect_evidence(store::connection& c, std::optional<sale::sale_id> sale, findings& all);
// Of these: acts of admins without their audit line, and lines without their act.
void inspect_audit(store::connection& c, findings& all);
// Of one sale only: its row, orders, log and letters.
findings inspect(store::connection& c, sale::sale_id id);

}  // namespace floodgate::ledger
