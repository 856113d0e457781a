// Segments are named by the first promise they hold, so that sorting the names sorts the line.

#pragma once

#include <string>
#include <string_view>

#include "sale/ids.hpp"

namespace floodgate::journal {

inline constexpr std::string_view segment_suffix = ".journal";

// Files that are not segments yet. A file with one of these names holds no promise.
inline constexpr std::string_view spare_name = "ahead.spare";    // made ahead by the caretaker
inline constexpr std::string_view urgent_name = "urgent.spare";  // made at once by the writer

// {1} is "00000000000000000001.journal".
std::string segment_name(sale::sequence first);

}  // namespace floodgate::journal
