// Base64 as the channels write it: the standard alphabet, padded, on one line.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace floodgate::pay {

std::string to_base64(std::string_view bytes);

// Empty for anything that to_base64 would not have written: blanks and line ends, missing padding,
// bits beyond the last byte. So every text that is accepted has exactly one spelling.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace floodgate::pay
