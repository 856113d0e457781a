#include "journal/segment_name.hpp"

#include <fmt/format.h>

namespace floodgate::journal {

std::string segment_name(sale::sequence first) {
    return fmt::format("{:020}{}", first.value, segment_suffix);
}

}  // namespace floodgate::journal
