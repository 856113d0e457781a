// Moments in the two forms of the channels, both in Beijing time, which has no summer time.
//
// Both write whole seconds and drop the rest. Both read only dates that exist, from 1970 to 2099.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"

namespace floodgate::pay {

// "2026-11-15 18:00:00": Alipay, and the bills of both channels.
std::string to_beijing_text(instant t);
std::optional<instant> parse_beijing_text(std::string_view text);

// "2026-11-15T18:00:00+08:00": WeChat Pay. Reads RFC 3339 with any offset, and with milliseconds.
std::string to_rfc3339(instant t);
std::optional<instant> parse_rfc3339(std::string_view text);

}  // namespace floodgate::pay
