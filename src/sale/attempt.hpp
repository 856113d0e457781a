// A buyer's request for units, and what the gate says to it.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"
#include "sale/answer.hpp"
#include "sale/ids.hpp"

namespace floodgate::sale {

// The first 128 bits of a hash over the buyer and their Idempotency-Key. All zero: no key was sent.
// One key is one intent: one sale and one quantity.
using idempotency_key = std::array<std::byte, 16>;
inline constexpr idempotency_key no_key{};

struct attempt {
    sale_id sale;
    user_id buyer;
    std::uint32_t quantity = 1;
    idempotency_key key{};
    std::uint64_t reply_to = 0;  // chosen by the caller; the verdict carries it back
};

struct verdict {
    std::uint64_t reply_to = 0;
    answer what{};
    // accepted, repeated: the promise; already_ordered: the buyer's latest; undecided: the number
    // that the promise has if one was made
    order_no order{};
    user_id buyer{};         // repeated: whose promise it is
    instant starts_at{};     // not_started: when the sale starts
    instant cool_until{};    // cooling_down: when the buyer may try again
    std::int64_t units = 0;  // over_limit: the limit; not_enough: how many are free
};

}  // namespace floodgate::sale
