// What the event loops have counted, for the metrics page.

#pragma once

#include <array>
#include <cstdint>

namespace floodgate::http {

inline constexpr std::size_t statuses = 600;  // HTTP statuses are below it

struct figures {
    std::uint64_t connections = 0, accepted = 0;
    std::uint64_t refused = 0;             // in all
    std::uint64_t refused_by_address = 0;  // of these, because their address had too many
    std::uint64_t made_room = 0;           // idle connections closed to make room for new ones
    std::array<std::uint64_t, statuses> by_status{};

    figures& operator+=(const figures& other) {
        connections += other.connections;
        accepted += other.accepted;
        refused += other.refused;
        refused_by_address += other.refused_by_address;
        made_room += other.made_room;
        for (std::size_t i = 0; i < by_status.size(); ++i) by_status[i] += other.by_status[i];
        return *this;
    }
};

}  // namespace floodgate::http
