// Finds repeated keys in JSON objects. Boost.JSON silently keeps the last one. If another reader
// keeps the first one, an attacker can make the two read different values.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace floodgate::api {

// The first key that some object in `text` has twice. Empty when there is none, or when `text` is
// not JSON, which the caller finds by parsing it.
std::optional<std::string> repeated_key(std::string_view text, std::size_t depth_max);

}  // namespace floodgate::api
