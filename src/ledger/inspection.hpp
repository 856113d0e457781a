// The checks behind order_book::check and tally_book::explain.

#pragma once

#include <optional>

#include "ledger/order_book.hpp"

namespace floodgate::store {
class connection;
}

namespace floodgate::ledger {

// Checks the whole ledger. Reads only; the caller's transaction gives one view of all tables.
findings inspect(store::connection& c);
// The part about moves: payments whose inquiry does not fit their order, and orders that are not in
// the state of their last event.
void inspect_moves(store::connection& c, findings& all);
// The part about evidence, also for one sale: orders in a state that no event brought them to, and
// paid or refunded orders without a payment.
void inspect_evidence(store::connection& c, std::optional<sale::sale_id> sale, findings& all);
// The part about the audit: acts of admins without their audit line, and lines without their act.
void inspect_audit(store::connection& c, findings& all);
// The part about points that buyers earn: those that do not fit their orders.
void inspect_earnings(store::connection& c, findings& all);
// Checks one sale only: its row, orders, log and letters.
findings inspect(store::connection& c, sale::sale_id id);

}  // namespace floodgate::ledger
