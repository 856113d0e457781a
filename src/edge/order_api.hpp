// A buyer's own orders, from the ledger, and from the gate while they are still on their way there.

#pragma once

#include "edge/services.hpp"

namespace floodgate::edge {

// -> 200, one order; 404: there is none, or it is somebody else's
reply get_order(services& with, const call& c);
// ?limit=1..100 (20) &before=ORDER_NO -> 200 {orders, next_before}, newest first
reply list_orders(services& with, const call& c);

// The order's life. 404 as above; 409 conflict with the order's `status` when it does not allow it.

// {} -> 200 closed; 202 being closed: a payment was begun, the channel has the last word
reply cancel_order(services& with, const call& c);
// {method} -> 200 {order, redirect?}: paid, or where to pay; 422 invalid: no such method
reply pay_order(services& with, const call& c);
// {} -> 202 refunding
reply refund_order(services& with, const call& c);

}  // namespace floodgate::edge
