#include "journal/segment_name.hpp"

#include <fmt/format.h>

#include <charconv>

namespace floodgate::journal {

std::string segment_name(sale::sequence first) {
    return fmt::format("{:020}{}", first.value, segment_suffix);
}

std::optional<sale::sequence> parse_segment_name(std::string_view name) {
    sale::sequence first;
    std::from_chars(name.data(), name.data() + name.size(), first.value);
    if (segment_name(first) != name) return std::nullopt;
    return first;
}

}  // namespace floodgate::journal
