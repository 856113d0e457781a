// An IP address as a value of 16 bytes, for IPv4 and IPv6.
//
// An IPv4 address is kept as ::ffff:1.2.3.4, so that both of its forms are the same address. A
// scope (%eth0) is not part of it.

#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace floodgate::guard {

struct ip_address {
    std::array<unsigned char, 16> bytes{};

    bool is_v4() const;

    friend bool operator==(const ip_address&, const ip_address&) = default;
};

// Reads "1.2.3.4" or "::1". Empty for any other text, also with a scope or a port. Does not
// allocate, because behind a proxy this runs for every request.
std::optional<ip_address> parse_address(std::string_view text);

}  // namespace floodgate::guard
