// The answer to an attempt to buy whose Idempotency-Key has an order already: that order in its
// present state. While it is queued, this is the same 202 as the first time; afterwards 200 with
// the order.

#pragma once

#include <optional>

#include "api/services.hpp"
#include "sale/attempt.hpp"

namespace floodgate::http {

// From memory, for the loop. Empty: call look_up_repeat().
std::optional<api::reply> find_repeat(const api::services& with, const sale::verdict& repeated);

// From the gate and the ledger; blocks. Empty: neither can tell the order's state now.
std::optional<api::reply> look_up_repeat(api::services& with, const sale::verdict& repeated);

// For the case that the state cannot be told. Not `busy`, because an order was promised.
sale::verdict undecided_repeat(const sale::verdict& repeated);

}  // namespace floodgate::http
