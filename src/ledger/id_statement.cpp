#include "ledger/id_statement.hpp"

#include <fmt/format.h>

namespace floodgate::ledger {

std::size_t places_for(std::size_t ids) {
    std::size_t places = 1;
    while (places < ids) places *= 4;
    return std::min(places, ids_per_statement);
}

std::string repeated(std::string_view words, std::size_t times, std::string_view between) {
    std::string all;
    for (std::size_t i = 0; i < times; ++i) {
        if (i > 0) all += between;
        all += words;
    }
    return all;
}

std::string with_places(std::string_view sql, std::size_t places) {
    return fmt::format(fmt::runtime(sql), "(" + repeated("?", places, ",") + ")");
}

}  // namespace floodgate::ledger
