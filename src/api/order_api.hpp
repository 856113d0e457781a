// A buyer's own orders: show, pay, cancel and refund them.

#pragma once

#include "api/services.hpp"

namespace floodgate::api {

// ?wait_ms=0..30000 &while=STATUS -> 200, one order; 404: there is none, or it is another buyer's.
// The handler answers at once; the event loop does the waiting, and calls it only for the other
// cases.
reply get_order(services& with, const call& c);
// ?limit=1..100 (20) &before=ORDER_NO -> 200 {orders, next_before}, newest first
reply list_orders(services& with, const call& c);

// How long to wait, and during which state of the order.
struct order_wait {
    milliseconds time{0};
    sale::order_state status = sale::order_state::queued;
};
// Read from the query; empty when that makes no sense.
std::optional<order_wait> read_wait(const call& c);

// The order's life. 404 as above; 409 conflict with the order's `status` when it does not allow it.

// {} -> 200 closed; 202 being closed: a payment was begun, and its channel decides
reply cancel_order(services& with, const call& c);
// {method} -> 200 {method, out_trade_no, expires_at, order} and what the buyer needs: `paid` (at
// once), `redirect` and `form`, or `code_url`; 422 invalid: no such method. Repeated while the
// order is unpaid it is the same trade.
reply pay_order(services& with, const call& c);
// {amount_fen?, reason?} -> 202 refunding; no amount: everything that is left. 422: more than that
reply refund_order(services& with, const call& c);
// Staff, any order, audited: {reason}; {reason, reference}, unpaid only; {refund_no, reason}, for
// refunds that no channel will make any more.
reply cancel_order_as_admin(services& with, const call& c);
reply mark_order_paid(services& with, const call& c);
reply settle_refund_by_hand(services& with, const call& c);
reply refund_order_as_admin(services& with, const call& c);  // any order, with a reason

}  // namespace floodgate::api
