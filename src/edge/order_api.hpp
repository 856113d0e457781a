// A buyer's own orders, from the ledger, and from the gate while they are still on their way there.

#pragma once

#include "edge/services.hpp"

namespace floodgate::edge {

// -> 200, one order; 404: there is none, or it is somebody else's
reply get_order(services& with, const call& c);
// ?limit=1..100 (20) &before=ORDER_NO -> 200 {orders, next_before}, newest first
reply list_orders(services& with, const call& c);

}  // namespace floodgate::edge
