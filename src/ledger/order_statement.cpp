#include "ledger/order_statement.hpp"

#include <fmt/format.h>

namespace floodgate::ledger {

std::size_t places_for(std::size_t orders) {
    std::size_t places = 1;
    while (places < orders) places *= 4;
    return std::min(places, orders_per_statement);
}

std::string with_places(std::string_view sql, std::size_t places) {
    std::string list = "(?";
    for (std::size_t i = 1; i < places; ++i) list += ",?";
    list += ")";
    return fmt::format(fmt::runtime(sql), list);
}

}  // namespace floodgate::ledger
