#include "api/ops_api.hpp"

#include <fmt/format.h>

#include "api/fnv.hpp"
#include "api/openapi.hpp"

namespace floodgate::api {

reply healthz() { return {.body = R"({"status":"live"})"}; }

reply metrics(services& with, const call&) {
    with.operators.make_metrics();
    return with.operators.metrics();
}

reply openapi(std::string_view if_none_match) {
    static const std::string etag = fmt::format("\"{:016x}\"", fnv1a(openapi_json()));
    static const auto text = std::make_shared<const std::string>(openapi_json());
    const std::string headers = "ETag: " + etag + "\r\nCache-Control: no-cache\r\n";
    if (if_none_match.find(etag) != std::string_view::npos || if_none_match == "*")
        return {.status = 304, .headers = headers};
    return {.shared = all_of(text), .headers = headers};
}

}  // namespace floodgate::api
