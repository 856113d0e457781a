// What can happen to an order, and the state that follows: the one table of an order's life.
//
//   queued -> unpaid -> paid -> refunding -> refunded, or paid again after a refund in part
//   queued -> failed;  unpaid -> closed

#pragma once

#include <optional>

#include "sale/order.hpp"

namespace floodgate::sale {

enum class order_event : std::uint8_t {
    entered = 1,    // the ledger took the promise
    refused,        // the ledger did not, or an operator discarded it
    paid,           // the money is there
    timed_out,      // not paid by the deadline, and it can no longer be paid
    cancelled,      // the buyer cancelled, and it can no longer be paid
    refund_asked,   // the buyer wants the money back
    refund_done,    // the buyer has all of the money back
    part_refunded,  // the buyer has a part of it back
};
inline constexpr std::uint8_t order_events = 8;

// The state after the event; empty when `state` does not allow the event.
std::optional<order_state> after(order_state state, order_event event);

const char* to_text(order_event event);  // "timed_out": the word in logs and reasons

}  // namespace floodgate::sale
