// Sends a message to an HTTP address from the configuration, in a way that cannot be abused.
//
// http and https only, TLS verified, no redirects, no proxies, no cookies, no credentials in the
// address. Unless private addresses are allowed, the address to which the socket is opened must be
// a public one. This is checked after the name was resolved, so a name that resolves to the
// machine's own network is refused.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/clock.hpp"

struct sockaddr;

namespace floodgate::store {

// Whether an IPv4 or IPv6 address belongs to the public internet: not private, loopback,
// link-local, shared (100.64/10), multicast, reserved, documentation, nor an IPv4 address inside an
// IPv6 address (mapped, 6to4, NAT64). Any other family is not public.
bool is_public(const sockaddr& address);

// Why a message could never be sent there; empty when it could. Never repeats the address: it may
// hold a secret.
std::string fault_of_url(const std::string& url);

// The host in an address, in lower case and without brackets; empty if there is none. Numbers such
// as 0x7f.1 are written as the IPv4 address they mean.
std::string host_of_url(const std::string& url);

// Whether a host is known without asking a name server not to be on the public internet: an address
// that is not public, a name without a dot, or one of the endings for private use (.local, .test).
bool is_private_host(const std::string& host);

struct http_limits {
    milliseconds connect{3000};
    milliseconds total{10'000};
    bool allow_private = false;
    std::function<bool()> give_up{};  // asked now and then, at least once a second; may be empty
};

struct http_outcome {
    int status = 0;          // 0: there was no answer, and `error` says why
    std::string error;       // a few words, without the address
    bool forbidden = false;  // refused by the rules above: trying again will not help
};

// Blocks for at most limits.total. Up to 64 KiB of the answer are read and dropped. A longer answer
// is cut off there, and its status counts.
http_outcome http_post(const std::string& url, const std::vector<std::string>& headers,
                       const std::string& body, const http_limits& limits);

}  // namespace floodgate::store
