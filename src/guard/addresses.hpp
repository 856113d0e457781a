// The address of the client that sent a request, also behind proxies.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "guard/ip_address.hpp"

namespace floodgate::guard {

// The key of a client for rate limiters: an IPv4 address, or the first 64 bits of an IPv6 address,
// because a single household has all 2^64 addresses below those.
std::uint64_t limiter_key(const ip_address& address);
// The same for people: "192.0.2.7", "2001:db8:1:2::/64".
std::string prefix_text(const ip_address& address);

// The sender of a request.
struct client {
    ip_address address;
    bool is_proxy = false;  // a trusted proxy itself, which is not limited by its own address
};

class trusted_proxies {
public:
    trusted_proxies() = default;
    // Networks like "127.0.0.0/8" or "fd00::/8", or single addresses like "::1". For anything else
    // it throws std::invalid_argument, naming the entry. Bits beyond the prefix are refused too,
    // because "10.1.2.3/8" could mean one address or sixteen million.
    explicit trusted_proxies(std::span<const std::string> networks);

    // Whether the address is a proxy that is trusted to name the client and not limited itself.
    bool is_trusted(const ip_address& address) const;

    // The sender of a request that came from `peer`. The header is believed only when the peer is
    // trusted. It is read from right to left, because each proxy adds on the right the address it
    // heard the request from: the first address that is not trusted is the client, and everything
    // left of it is the client's own invention. Entries may have a port: "1.2.3.4:80", "[::1]:80".
    // An entry that cannot be read ends the walk at the proxy that wrote it. That proxy counts as
    // the client and is limited: a balancer that writes "unknown", or nothing, must not switch the
    // limits off. A request without the header is not for this function: the peer is its sender.
    client client_of(const ip_address& peer, std::string_view x_forwarded_for) const;

private:
    struct network {
        ip_address prefix;
        unsigned length = 0;
    };
    static network parse(const std::string& text);

    std::vector<network> networks_;
};

}  // namespace floodgate::guard
