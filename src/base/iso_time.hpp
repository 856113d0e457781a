// Moments as ISO 8601 text, in the one form that the API and the audit book use.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"

namespace floodgate {

// "2026-11-15T10:00:00.000Z". What lies outside the years 1970-2099 is shown as their edge.
std::string to_iso(instant t);
// The same, also with an offset instead of Z and without fraction; nothing for anything else, for
// dates that do not exist and for what lies outside 1970-2099.
std::optional<instant> parse_iso(std::string_view text);

}  // namespace floodgate
