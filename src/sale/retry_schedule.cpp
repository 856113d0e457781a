#include "sale/retry_schedule.hpp"

#include <fmt/format.h>

#include <charconv>

namespace floodgate::sale {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t steps_max = 50;
constexpr milliseconds step_max = 24h;

std::optional<milliseconds> unit_of(std::string_view name) {
    if (name == "ms") return 1ms;
    if (name == "s") return 1s;
    if (name == "m") return 1min;
    if (name == "h") return 1h;
    return std::nullopt;
}

std::optional<milliseconds> parse_step(std::string_view text, std::string& why) {
    std::uint32_t count = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    const auto unit = unit_of(text.substr(static_cast<std::size_t>(rest - text.data())));
    if (error != std::errc{} || !unit) {
        why = fmt::format("\"{}\" is not a time such as 500ms, 10s, 5m or 2h", text);
    } else if (count == 0) {
        why = fmt::format("\"{}\" is no time at all", text);
    } else if (*unit * count > step_max) {
        why = fmt::format("\"{}\" is longer than 24h", text);
    } else {
        return *unit * count;
    }
    return std::nullopt;
}

}  // namespace

std::vector<milliseconds> retry_schedule::usual_steps() {
    return {10s,  30s,  1min, 2min,  3min,  4min,  5min, 6min,
            7min, 8min, 9min, 10min, 20min, 30min, 1h,   2h};
}

std::optional<instant> retry_schedule::next_try(std::uint32_t attempts, instant now) const {
    if (attempts == 0 || attempts > steps.size()) return std::nullopt;
    return now + steps[attempts - 1];
}

std::optional<retry_schedule> parse_steps(const std::vector<std::string>& steps, std::string& why) {
    if (steps.empty() || steps.size() > steps_max) {
        why = fmt::format("1 to {} steps are allowed, not {}", steps_max, steps.size());
        return std::nullopt;
    }
    retry_schedule parsed{{}};
    for (const std::string& text : steps) {
        const auto step = parse_step(text, why);
        if (!step) return std::nullopt;
        if (!parsed.steps.empty() && *step < parsed.steps.back()) {
            why = fmt::format("\"{}\" is shorter than the step before it", text);
            return std::nullopt;
        }
        parsed.steps.push_back(*step);
    }
    return parsed;
}

}  // namespace floodgate::sale
