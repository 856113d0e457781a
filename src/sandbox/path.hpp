// The parts of a request's path.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace floodgate::sandbox {

// "/sandbox/trades/a%7Cb/pay" has four parts, percent-decoded. A part that cannot be decoded is
// empty.
std::vector<std::string> path_parts(std::string_view path);

// The one value of `name` in a query, decoded; empty if it is absent or the query is no good form.
std::string query_value(std::string_view query, std::string_view name);

}  // namespace floodgate::sandbox
