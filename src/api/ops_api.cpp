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
    return page_reply(if_none_match, etag, [] { return reply{.shared = all_of(text)}; });
}

}  // namespace floodgate::api
