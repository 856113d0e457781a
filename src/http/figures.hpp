// What the event loops have counted, for the metrics page.

#pragma once

#include <array>
#include <cstdint>

namespace floodgate::http {

inline constexpr std::size_t statuses = 600;  // HTTP statuses are below it

struct figures {
    std::uint64_t connections = 0, accepted = 0, refused = 0;
    std::array<std::uint64_t, statuses> by_status{};

    figures& operator+=(const figures& other) {
        connections += other.connections;
        accepted += other.accepted;
        refused += other.refused;
        for (std::size_t i = 0; i < by_status.size(); ++i) by_status[i] += other.by_status[i];
        return *this;
    }
};

}  // namespace floodgate::http
