// Moments as ISO 8601 text, in the one form that the API and the audit book use.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"

namespace floodgate {

// "2026-11-15T10:00:00.000Z". A moment outside the years 1970-2099 is written as the nearest one
// inside them.
std::string to_iso(instant t);
// Reads that form, also with an offset instead of Z and without a fraction. Empty for anything
// else, for dates that do not exist and for moments outside 1970-2099.
std::optional<instant> parse_iso(std::string_view text);

}  // namespace floodgate
