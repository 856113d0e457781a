#include "http/purchase.hpp"

#include <boost/beast/core/string.hpp>

#include <algorithm>

#include "guard/tokens.hpp"
#include "sale/catalogue.hpp"

namespace floodgate::http {
namespace {

bool is_of_type(std::string_view content_type, std::string_view type) {
    if (!boost::beast::iequals(content_type.substr(0, type.size()), type)) return false;
    const std::string_view rest = content_type.substr(type.size());
    return rest.empty() || rest.front() == ';' || rest.front() == ' ';
}

}  // namespace

std::optional<purchase_fault> read_purchase(const request& r, sale::attempt& a) {
    if (!r.body.empty()) {
        if (!is_json(r.content_type))
            return purchase_fault{api::problem::unsupported_media_type, {}};
        api::json_body body(r.body);
        a.quantity = static_cast<std::uint32_t>(
            body.optional_integer("quantity", {1, sale::limit_max}).value_or(1));
        if (auto fault = body.finish()) return purchase_fault{api::problem::bad_request, *fault};
    }
    if (r.idempotency_key) {
        const std::string_view key = *r.idempotency_key;
        const bool printable = std::ranges::all_of(key, [](char c) { return c > ' ' && c < 0x7f; });
        if (key.empty() || key.size() > idempotency_key_bytes_max || !printable) {
            return purchase_fault{
                api::problem::bad_request,
                {"Idempotency-Key", "Idempotency-Key must be 1 to 128 visible ASCII characters"}};
        }
        a.key = guard::key_of(a.buyer, key);
    }
    return std::nullopt;
}

api::reply refuse_purchase(const purchase_fault& f, api::language lang) {
    if (f.fault.detail.empty()) return api::problem_reply(f.what, lang);
    return refuse(f.fault, lang);
}

bool is_json(std::string_view content_type) {
    return content_type.empty() || is_of_type(content_type, "application/json");
}

bool is_file(std::string_view content_type) {
    return is_of_type(content_type, "text/csv") ||
           is_of_type(content_type, "application/octet-stream") ||
           is_of_type(content_type, "application/x-ndjson") ||
           is_of_type(content_type, "image/png") || is_of_type(content_type, "image/jpeg") ||
           is_of_type(content_type, "image/webp");
}

}  // namespace floodgate::http
