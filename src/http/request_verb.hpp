// The method of a request, as the table of routes knows it.

#pragma once

#include <boost/beast/http/verb.hpp>

#include "api/call.hpp"

namespace floodgate::http {

// HEAD is answered like GET, without the body.
inline api::verb verb_of(boost::beast::http::verb v) {
    using boost::beast::http::verb;
    switch (v) {
    case verb::get:
    case verb::head: return api::verb::get;
    case verb::post: return api::verb::post;
    case verb::put: return api::verb::put;
    default: return api::verb::other;
    }
}

}  // namespace floodgate::http
