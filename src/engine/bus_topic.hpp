// The topics under which the nodes of a cluster tell each other things over the bus.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace floodgate::engine {

enum class bus_topic : std::uint8_t {
    news = 1,   // orders moved: sale/news_codec.hpp
    lifted,     // units of a sale came back: its id
    catalogue,  // the catalogue was changed in the ledger
    repaired,   // orders were changed in another way than by moves
    login,      // a user logged in: guard/shared_logins.hpp
    logout,     // a user logged out
    live,       // what a node saw in the last second: api/live_sample.hpp
    access,     // API keys or disabled users were changed in the ledger
};

std::string_view to_text(bus_topic topic);
// Empty for an unknown word, such as one of a newer version.
std::optional<bus_topic> parse_bus_topic(std::string_view word);

}  // namespace floodgate::engine
