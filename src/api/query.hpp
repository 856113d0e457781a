// Numbers in the query of a request: ?limit=20&before=7

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "api/reply.hpp"
#include "base/bounds.hpp"

namespace floodgate::api {

// A missing value gives `fallback`. Empty when the value is not a whole number within `allowed`.
std::optional<std::int64_t> query_number(const call& c, std::string_view name, bounds allowed,
                                         std::int64_t fallback);

// 400, naming the field and its allowed values.
reply bad_query(const call& c, std::string_view name, bounds allowed);

}  // namespace floodgate::api
