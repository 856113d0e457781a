// The request that asks for a WebSocket, and what must be right before it becomes one.

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

// A head that edge::conversation has taken, read again with all its fields: the conversation itself
// keeps only those that every request needs. Nothing when it announces a body.
std::optional<upgrade_request> read_upgrade(std::string_view head);

// Nothing: go on. Otherwise 426, 400 or 403, as a finished answer.
std::optional<api::reply> refuse_upgrade(const upgrade_request& r,
                                         std::span<const std::string> allowed_origins,
                                         api::language lang);

// Whether a page of this origin may open a WebSocket. Browsers let any page try, and only the
// Origin header tells whose it is. Ours: its host and port are those of the Host header, whatever
// the scheme (a proxy may have ended TLS); or it is listed. No Origin: not a browser.
bool origin_allowed(std::string_view origin, std::string_view host,
                    std::span<const std::string> allowed);

}  // namespace floodgate::http
