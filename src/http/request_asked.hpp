// A request on its way through the request desk. Only the desk's own sources use it.

#pragma once

#include "http/request_desk.hpp"

namespace floodgate::http {

// A request on its way through the desk, with what is known of it so far.
struct request_desk::asked {
    const request& r;
    const remote& peer;
    api::language lang;
    instant now;
    searched where;
    api::route_match found;
    guard::identity who{};                // where the route needs a log-in
    sale::token_hash login{};             // that of `who`
    const guard::api_key* key = nullptr;  // where the route needs one
};

}  // namespace floodgate::http
