// When a promise that could not be entered in the ledger is tried again, in growing intervals.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"

namespace floodgate::sale {

struct retry_schedule {
    // 10 s, 30 s, 1 to 10 min, 20 min, 30 min, 1 h, 2 h: about five hours in all.
    std::vector<milliseconds> steps = usual_steps();

    static std::vector<milliseconds> usual_steps();

    // When to try again after failure number `attempts` (from 1). Empty: that was the last try.
    std::optional<instant> next_try(std::uint32_t attempts, instant now) const;
};

// Reads steps such as "500ms", "10s", "1m", "2h". There must be 1 to 50 of them, each longer than
// zero and at most a day, none shorter than the one before. Otherwise the result is empty and `why`
// says what is wrong.
std::optional<retry_schedule> parse_steps(const std::vector<std::string>& steps, std::string& why);

}  // namespace floodgate::sale
