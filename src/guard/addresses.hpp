// Whose request is it: the address of the client, also behind proxies.

#pragma once

#include <boost/asio/ip/address.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace floodgate::guard {

// ::ffff:1.2.3.4 becomes 1.2.3.4, and a scope (%eth0) goes: one client, one address.
boost::asio::ip::address normalised(const boost::asio::ip::address& address);

// What a rate limiter knows a client by: an IPv4 address, or the first 64 bits of an IPv6 address,
// because a single household owns all of the other 2^64.
std::uint64_t limiter_key(const boost::asio::ip::address& address);

class trusted_proxies {
public:
    trusted_proxies() = default;
    // Networks like "127.0.0.0/8" or "fd00::/8", or single addresses like "::1". Throws
    // std::invalid_argument, naming the entry, for anything else, also for bits set beyond the
    // prefix: "10.1.2.3/8" may be meant as one address or as sixteen million.
    explicit trusted_proxies(std::span<const std::string> networks);

    // Trusted to name the client, and not limited by its own address.
    bool is_trusted(const boost::asio::ip::address& address) const;

    // Who sent the request that came from `peer`, normalised. The header is believed only when the
    // peer is trusted. It is read from right to left, since each proxy adds on the right whom it
    // heard it from: the first one not trusted is the client, and what stands left of it is the
    // client's own invention. An entry that is not an address ends the walk at the one before it.
    boost::asio::ip::address client_of(const boost::asio::ip::address& peer,
                                       std::string_view x_forwarded_for) const;

private:
    using bits = std::array<unsigned char, 16>;  // of IPv6; IPv4 as ::ffff:0:0/96
    struct network {
        bits prefix{};
        unsigned length = 0;
    };
    static network parse(const std::string& text);

    std::vector<network> networks_;
};

}  // namespace floodgate::guard
