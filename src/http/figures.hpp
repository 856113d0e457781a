// What the event loops have counted, for the metrics page.

#pragma once

#include <array>
#include <cstdint>

#include "base/histogram.hpp"

namespace floodgate::http {

inline constexpr std::size_t statuses = 600;  // HTTP statuses are below it

// The ranges in which the time from reading an attempt to buy to its answer is counted.
inline constexpr std::array<std::uint64_t, 22> decision_bounds_us{
    50,    100,   150,    200,    300,    500,    700,    1'000,   1'500,   2'000,   3'000,
    5'000, 7'000, 10'000, 15'000, 20'000, 30'000, 50'000, 100'000, 200'000, 500'000, 1'000'000};

struct figures {
    std::uint64_t connections = 0, accepted = 0;
    std::uint64_t refused = 0;             // in all
    std::uint64_t refused_by_address = 0;  // of these, because their address had too many
    std::uint64_t made_room = 0;           // idle connections closed to make room for new ones
    std::array<std::uint64_t, statuses> by_status{};
    std::array<std::uint64_t, decision_bounds_us.size() + 1> decisions{};  // by time
    std::uint64_t decisions_us = 0;                                        // of all together

    histogram::reading decision_times() const {
        return {{decision_bounds_us.begin(), decision_bounds_us.end()},
                {decisions.begin(), decisions.end()},
                decisions_us};
    }

    figures& operator+=(const figures& other) {
        connections += other.connections;
        accepted += other.accepted;
        refused += other.refused;
        refused_by_address += other.refused_by_address;
        made_room += other.made_room;
        for (std::size_t i = 0; i < by_status.size(); ++i) by_status[i] += other.by_status[i];
        for (std::size_t i = 0; i < decisions.size(); ++i) decisions[i] += other.decisions[i];
        decisions_us += other.decisions_us;
        return *this;
    }
};

}  // namespace floodgate::http
