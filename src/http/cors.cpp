#include "http/cors.hpp"

#include <algorithm>

namespace floodgate::http {
namespace {

constexpr std::string_view exposed =
    "Access-Control-Expose-Headers: ETag, Location, Retry-After, X-Request-Id\r\n";

}  // namespace

cors_policy::cors_policy(std::span<const std::string> origins) {
    for (const std::string& origin : origins) {
        std::string lines = "Access-Control-Allow-Origin: " + origin + "\r\n";
        origins_.push_back({origin, lines.append(exposed)});
    }
}

std::string_view cors_policy::lines_for(std::string_view origin) const {
    const auto found = std::ranges::find(origins_, origin, &known::origin);
    return found == origins_.end() ? std::string_view() : std::string_view(found->lines);
}

api::reply cors_policy::preflight(const std::string& verbs) {
    return {.status = 204,
            .headers = "Access-Control-Allow-Methods: " + verbs +
                       "\r\nAccess-Control-Allow-Headers: Authorization, Content-Type, "
                       "Idempotency-Key, X-Request-Id\r\n"
                       "Access-Control-Max-Age: 600\r\n"};
}

std::string fault_of_origin(std::string_view origin) {
    const std::size_t scheme = origin.starts_with("https://")  ? 8
                               : origin.starts_with("http://") ? 7
                                                               : 0;
    if (scheme == 0) return "must begin with https:// or http://, and no wildcard is allowed";
    const std::string_view host = origin.substr(scheme);
    const auto is_fine = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
               std::string_view(".-:[]").find(c) != std::string_view::npos;
    };
    if (host.empty() || !std::ranges::all_of(host, is_fine))
        return "must be a scheme, a host in lower case and perhaps a port, without a path";
    return "";
}

}  // namespace floodgate::http
