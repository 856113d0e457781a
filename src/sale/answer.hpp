// The closed list of answers to a buyer who asks for a unit.

#pragma once

#include <cstdint>

namespace floodgate::sale {

// In order of precedence: the first that applies is the answer. So a buyer in a cool-down whose
// other orders reach the limit hears already_ordered: waiting would not help them. The last two
// say nothing about the attempt itself: after `busy` nothing was promised, after `undecided`
// something may have been.
enum class answer : std::uint8_t {
    repeated = 1,     // same buyer and Idempotency-Key as an earlier promise: that promise again
    key_reused,       // same buyer and Idempotency-Key, but another sale or quantity
    unknown_sale,     // no such sale, or not published
    paused,           // an operator stopped it for now
    not_started,      // before starts_at
    ended,            // at or after ends_at, or ended by an operator
    over_limit,       // more units at once than the sale allows any buyer
    already_ordered,  // the buyer's units plus this quantity would pass the sale's limit
    cooling_down,     // the buyer gave units of this sale back and has to wait: gate/turnstile.hpp
    sold_out,         // no free unit
    not_enough,       // free units, but fewer than asked for
    accepted,         // a unit is set aside: the promise
    busy,             // too far behind to promise more; certainly nothing was promised
    undecided,        // the gate was asked and did not reply in time: perhaps promised
};
inline constexpr std::uint8_t answers = 14;

// "accepted", "sold_out" ...: the word in JSON and metrics.
const char* to_text(answer a);

}  // namespace floodgate::sale
