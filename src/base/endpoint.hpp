// Where a server is: HOST:PORT, with brackets around an IPv6 address.

#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace floodgate {

struct endpoint {
    std::string host;  // a name or an address, without brackets
    std::uint16_t port = 0;

    std::string text() const;  // "127.0.0.1:80", "[::1]:80"

    friend bool operator==(const endpoint&, const endpoint&) = default;
};

// One line: the text, and what is wrong with it.
struct endpoint_error : std::runtime_error {
    using runtime_error::runtime_error;
};

// Reads what an operator wrote. An IPv6 address must be in brackets, because "::1:80" does not say
// where the port begins. Port 0 ("any free one") makes sense only for a listener, which passes
// port_min 0. Throws endpoint_error.
endpoint parse_endpoint(std::string_view text, std::uint16_t port_min = 1);

// Reads what a server said about another server. Redis leaves the brackets out, so the last colon
// divides host and port. Empty when the text is no endpoint.
std::optional<endpoint> endpoint_from_server(std::string_view text);

}  // namespace floodgate
