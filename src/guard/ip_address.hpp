// An IP address as a value: 16 bytes, whatever its kind.
//
// One client has one address: IPv4 is kept as ::ffff:1.2.3.4, also when it comes in that form, and
// a scope (%eth0) is no part of it.

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

// "1.2.3.4", "::1"; nothing for any other text, for a scope and for a port. Does not allocate:
// behind a proxy this runs for every request.
std::optional<ip_address> parse_address(std::string_view text);

}  // namespace floodgate::guard
