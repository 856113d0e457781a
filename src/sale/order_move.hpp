// What can happen to an order and what becomes of it: the one table of the order's life.
//
//   queued -> unpaid -> paid -> refunding -> refunded
//   queued -> failed;  unpaid -> closed

#pragma once

#include <optional>

#include "sale/order.hpp"

namespace floodgate::sale {

enum class order_event : std::uint8_t {
    entered = 1,   // the ledger took the promise
    refused,       // the ledger did not, or an operator discarded it
    paid,          // the money is there
    timed_out,     // nobody paid by the deadline, and nobody can any more
    cancelled,     // the buyer wanted out, and nobody can pay any more
    refund_asked,  // the buyer wants the money back
    refund_done,   // and has it
};
inline constexpr std::uint8_t order_events = 7;

// The state after the event; nothing when the state does not allow it.
std::optional<order_state> after(order_state state, order_event event);

const char* to_text(order_event event);  // "timed_out": the word in logs and reasons

}  // namespace floodgate::sale
