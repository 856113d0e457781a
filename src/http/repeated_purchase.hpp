// The answer to an attempt to buy whose Idempotency-Key has an order already: that order, as it is
// now. While it is queued this is the 202 of the first time; afterwards 200 with the order.

#pragma once

#include <optional>

#include "api/services.hpp"
#include "sale/attempt.hpp"

namespace floodgate::http {

// From memory, for the loop. Nothing: look_up_repeat() has to be asked.
std::optional<api::reply> find_repeat(const api::services& with, const sale::verdict& repeated);

// From the gate and the ledger: blocks. Nothing: neither can say now what became of the order.
std::optional<api::reply> look_up_repeat(api::services& with, const sale::verdict& repeated);

// When nothing can say it. Not `busy`: an order was promised.
sale::verdict undecided_repeat(const sale::verdict& repeated);

}  // namespace floodgate::http
