// For those who run it: is it live, how much of what, and what the API is. /readyz and the metrics
// page itself: operator_pages.hpp.

#pragma once

#include "api/services.hpp"

namespace floodgate::api {

reply healthz();  // 200 {status: "live"}; from the event loop, so it never waits
// Makes a new page; for the one who claimed it. Others are answered with operator_pages::metrics().
reply metrics(services& with, const call& c);
reply openapi(std::string_view if_none_match);  // with an ETag

}  // namespace floodgate::api
