#include "api/ops_api.hpp"

#include <boost/json/array.hpp>

#include <fmt/format.h>

#include "api/fnv.hpp"
#include "api/openapi.hpp"

namespace floodgate::api {

reply healthz() { return {.body = R"({"status":"live"})"}; }

reply readyz(services& with, const call&) {
    const boost::json::array durability(with.durability.begin(), with.durability.end());
    const readiness now = with.readiness ? with.readiness() : readiness{};
    const boost::json::array warnings(now.warnings.begin(), now.warnings.end());
    if (now.why_not.empty())
        return json_reply(
            200, {{"status", "ready"}, {"warnings", warnings}, {"durability", durability}});
    return json_reply(503, {{"status", "not_ready"},
                            {"reason", now.why_not},
                            {"warnings", warnings},
                            {"durability", durability}});
}

reply metrics(services& with, const call&) {
    return {.content_type = "text/plain; version=0.0.4; charset=utf-8",
            .body = with.metrics_text ? with.metrics_text() : std::string()};
}

reply openapi(services&, const call& c) {
    static const std::string etag = fmt::format("\"{:016x}\"", fnv1a(openapi_json()));
    const std::string headers = "ETag: " + etag + "\r\nCache-Control: no-cache\r\n";
    if (c.if_none_match.find(etag) != std::string::npos || c.if_none_match == "*")
        return {.status = 304, .headers = headers};
    return {.body = std::string(openapi_json()), .headers = headers};
}

}  // namespace floodgate::api
