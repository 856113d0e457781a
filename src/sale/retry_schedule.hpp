// When a promise that could not be entered is tried again: a little later, then later and later.

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

    // After the `attempts`-th failure, from 1. Nothing: that was the last try.
    std::optional<instant> next_try(std::uint32_t attempts, instant now) const;
};

// From "10s", "30s", "1m", "2h", "500ms": 1 to 50 steps, each longer than nothing and at most a
// day, none shorter than the one before. Otherwise nothing, and `why` says what is wrong.
std::optional<retry_schedule> parse_steps(const std::vector<std::string>& steps, std::string& why);

}  // namespace floodgate::sale
