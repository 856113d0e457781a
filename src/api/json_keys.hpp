// Keys that stand in a JSON object twice. Boost.JSON quietly keeps the last of them; two readers
// that keep different ones can be played off against each other.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace floodgate::api {

// The first key that some object in `text` has twice. Nothing when there is none, or when `text` is
// not JSON, which the caller finds out by parsing it.
std::optional<std::string> repeated_key(std::string_view text, std::size_t depth_max);

}  // namespace floodgate::api
