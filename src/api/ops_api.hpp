// Calls for operators: liveness, metrics and the description of the API. /readyz and the present
// metrics page are in operator_pages.hpp.

#pragma once

#include "api/services.hpp"

namespace floodgate::api {

reply healthz();  // 200 {status: "live"}; answered on the event loop, so it never waits
// Makes a new page, for the caller that claimed it. Others get operator_pages::metrics().
reply metrics(services& with, const call& c);
reply openapi(std::string_view if_none_match);  // with an ETag

}  // namespace floodgate::api
