// The one place where an operating error becomes an HTTP answer.

#pragma once

#include <boost/system/error_code.hpp>

#include "api/reply.hpp"

namespace floodgate::api {

// How long a client should wait when the database is locked or a queue is full.
inline constexpr std::int64_t retry_after_failure_ms = 1000;

// not_found 404, already_exists and conflict 409, invalid 422, store_unavailable and overloaded 503
// with retry_after_ms, anything else 500. The store has logged its failure.
reply failure_reply(const boost::system::error_code& why, language lang,
                    boost::json::object extra = {});

// 429: come again after `wait`.
reply limited_reply(milliseconds wait, language lang);

}  // namespace floodgate::api
