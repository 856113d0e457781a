// For those who run it: is it live, is it ready, how much of what, and what the API is.

#pragma once

#include "api/services.hpp"

namespace floodgate::api {

reply healthz();  // 200 {status: "live"}; from the event loop, so it never waits
// Whether purchases are accepted: 200 {status: "ready", warnings, durability}, or
// 503 {status: "not_ready", reason, warnings, durability}. A store that is away while purchases are
// still accepted is a warning.
reply readyz(services& with, const call& c);
reply metrics(services& with, const call& c);  // Prometheus' text format
reply openapi(services& with, const call& c);  // with an ETag

}  // namespace floodgate::api
