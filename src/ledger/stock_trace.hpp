// Finds the entries that make a sale's figures differ from its orders.

#pragma once

#include "ledger/inspection.hpp"

namespace floodgate::ledger {

// For a sale whose `held` is not what its orders hold. Names log lines whose orders are missing,
// orders that no line entered, and orders in another state than their last event says. These are
// hints: differences that were repaired long ago may be among them. Reads only.
void trace_stock(store::connection& c, sale::sale_id id, findings& all);

}  // namespace floodgate::ledger
