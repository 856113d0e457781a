// Which query parameters each call has, by its description in openapi.json. Any other is refused,
// because a filter that is misspelt must not give all rows.

#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "api/routes.hpp"

namespace floodgate::api {

std::vector<std::string_view> query_parameters(const route& r);

// 400 with the name of the first parameter that the call does not have. Empty: not refused.
// Messages of payment channels carry whatever the channel likes.
std::optional<reply> refusal_of_query(const route& r, std::string_view query, language lang);

}  // namespace floodgate::api
