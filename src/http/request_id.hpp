// X-Request-Id: a name that a client gives its request, echoed in the answer and written to the
// log.

#pragma once

#include <algorithm>
#include <cctype>
#include <string_view>

namespace floodgate::http {

inline constexpr std::size_t request_id_bytes_max = 64;

// Other characters could break a line of the log or a header.
inline bool is_plain_id(std::string_view id) {
    return !id.empty() && id.size() <= request_id_bytes_max &&
           std::ranges::all_of(id, [](unsigned char c) {
               return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == ':';
           });
}

}  // namespace floodgate::http
