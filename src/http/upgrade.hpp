// A request for a WebSocket, and the checks before the connection becomes one.

#pragma once

#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/reply.hpp"

namespace floodgate::http {

struct upgrade_request {
    boost::beast::http::request<boost::beast::http::empty_body> message;
};

// Reads a head that conversation has accepted again, with all its fields: the conversation keeps
// only the fields that every request needs. Empty when the head announces a body.
std::optional<upgrade_request> read_upgrade(std::string_view head);

// Empty: not refused. Otherwise a finished answer: 426, 400 or 403.
std::optional<api::reply> refuse_upgrade(const upgrade_request& r,
                                         std::span<const std::string> allowed_origins,
                                         api::language lang);

// Whether a page of this origin may open a WebSocket. Browsers let any page try, and only the
// Origin header tells where the page came from. An origin is allowed if its host and port are those
// of the Host header, whatever the scheme (a proxy may have ended TLS), or if it is listed. A
// request without Origin does not come from a browser and is allowed.
bool origin_allowed(std::string_view origin, std::string_view host,
                    std::span<const std::string> allowed);

}  // namespace floodgate::http
