// The target of a request line, taken apart.
//
// Clients that speak to a server name a path ("/a?b"); clients that think we are a proxy name the
// whole address ("http://shop.example/a?b"), and RFC 9112, 3.2.2 wants that understood too.

#pragma once

#include <optional>
#include <string_view>

namespace floodgate::http {

struct request_target {
    std::string_view authority;  // host, and port if one is named; empty: only a path was named
    std::string_view path;       // empty: the root of an address without a path
    std::string_view query;
};

// All views are parts of `target`. Nothing: it is neither form, the scheme is neither http nor
// https, or the host is no host (also with a user name in front of it).
std::optional<request_target> split_target(std::string_view target);

}  // namespace floodgate::http
