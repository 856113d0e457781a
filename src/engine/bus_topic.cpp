#include "engine/bus_topic.hpp"

namespace floodgate::engine {

std::string_view to_text(bus_topic topic) {
    switch (topic) {
    case bus_topic::news: return "news";
    case bus_topic::lifted: return "lifted";
    case bus_topic::catalogue: return "catalogue";
    case bus_topic::repaired: return "repaired";
    case bus_topic::login: return "login";
    case bus_topic::logout: return "logout";
    case bus_topic::live: return "live";
    case bus_topic::access: return "access";
    }
    return "";
}

std::optional<bus_topic> parse_bus_topic(std::string_view word) {
    using enum bus_topic;
    for (const bus_topic t : {news, lifted, catalogue, repaired, login, logout, live, access})
        if (word == to_text(t)) return t;
    return std::nullopt;
}

}  // namespace floodgate::engine
