// The target of a request line, split into its parts.
//
// Clients of a server send a path ("/a?b"). Clients that take this server for a proxy send the
// whole address ("http://shop.example/a?b"), which RFC 9112, 3.2.2 requires servers to accept.

#pragma once

#include <optional>
#include <string_view>

namespace floodgate::http {

struct request_target {
    std::string_view authority;  // host, and port if one is named; empty: only a path was named
    std::string_view path;       // empty: the root of an address without a path
    std::string_view query;
};

// All views are parts of `target`. Empty: it has neither form, the scheme is neither http nor
// https, or the host is not valid (also if a user name precedes it).
std::optional<request_target> split_target(std::string_view target);

}  // namespace floodgate::http
