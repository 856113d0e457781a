#include "api/routes.hpp"

#include <optional>

#include "api/admin_api.hpp"
#include "api/auth_api.hpp"
#include "api/operations_api.hpp"
#include "api/ops_api.hpp"
#include "api/order_api.hpp"
#include "api/ws_api.hpp"
#include "sale/order_number.hpp"

namespace floodgate::api {
namespace {

using enum verb;

// clang-format off
constexpr route table[] = {
    {get,  "/healthz", access::open, nullptr, pool::general, on_loop::healthz},
    {get,  "/readyz",  access::open, readyz},
    {get,  "/metrics", access::open, metrics},

    {get,  "/api/v1/openapi.json",      access::open, openapi},
    {get,  "/api/v1/time",              access::open, nullptr, pool::general, on_loop::time},
    {get,  "/api/v1/rounds",            access::open, nullptr, pool::general, on_loop::rounds},
    {get,  "/api/v1/sales/{id}",        access::open, nullptr, pool::general, on_loop::sale},
    {post, "/api/v1/sales/{id}/orders", access::buyer, nullptr, pool::general, on_loop::purchase},

    {post, "/api/v1/auth/register", access::open,  register_user, pool::password},
    {post, "/api/v1/auth/login",    access::open,  log_in,        pool::password},
    {post, "/api/v1/auth/logout",   access::buyer, log_out},
    {get,  "/api/v1/me",            access::buyer, me},
    {get,  "/api/v1/orders",        access::buyer, list_orders},
    {get,  "/api/v1/orders/{no}",   access::buyer, get_order},
    {post, "/api/v1/orders/{no}/cancel", access::buyer, cancel_order},
    {post, "/api/v1/orders/{no}/pay",    access::buyer, pay_order},
    {post, "/api/v1/orders/{no}/refund", access::buyer, refund_order},

    {post, "/api/v1/ws/ticket",     access::buyer,  issue_ticket},
    {get,  "/api/v1/ws",            access::ticket, nullptr, pool::general, on_loop::socket},

    {get,  "/api/v1/admin/products",             access::admin, list_products},
    {post, "/api/v1/admin/products",             access::admin, create_product},
    {get,  "/api/v1/admin/products/{id}",        access::admin, get_product},
    {put,  "/api/v1/admin/products/{id}",        access::admin, update_product},
    {get,  "/api/v1/admin/rounds",               access::admin, list_rounds},
    {post, "/api/v1/admin/rounds",               access::admin, create_round},
    {get,  "/api/v1/admin/rounds/{id}",          access::admin, get_round},
    {put,  "/api/v1/admin/rounds/{id}",          access::admin, update_round},
    {get,  "/api/v1/admin/sales",                access::admin, list_sales},
    {post, "/api/v1/admin/sales",                access::admin, create_sale},
    {get,  "/api/v1/admin/sales/{id}",           access::admin, get_sale},
    {put,  "/api/v1/admin/sales/{id}",           access::admin, update_sale},
    {post, "/api/v1/admin/sales/{id}/publish",   access::admin, publish_sale},
    {post, "/api/v1/admin/sales/{id}/pause",     access::admin, pause_sale},
    {post, "/api/v1/admin/sales/{id}/resume",    access::admin, resume_sale},
    {post, "/api/v1/admin/sales/{id}/end",       access::admin, end_sale},
    {post, "/api/v1/admin/sales/{id}/warm-up",   access::admin, warm_up_sale},
    {post, "/api/v1/admin/sales/{id}/stock",     access::admin, change_stock},
    {get,  "/api/v1/admin/sales/{id}/stock-log", access::admin, get_stock_log},
    {get,  "/api/v1/admin/warm-up",              access::admin, get_warm_up},
    {post, "/api/v1/admin/warm-up",              access::admin, warm_up_all},
    {get,  "/api/v1/admin/audit",                access::admin, list_audit},

    {get,  "/api/v1/admin/orders/{no}",                access::admin, get_order_as_admin},
    {get,  "/api/v1/admin/dead-letters",               access::admin, list_letters},
    {get,  "/api/v1/admin/dead-letters/{id}",          access::admin, get_letter},
    {post, "/api/v1/admin/dead-letters/{id}/replay",   access::admin, replay_letter},
    {post, "/api/v1/admin/dead-letters/{id}/discard",  access::admin, discard_letter},
    {get,  "/api/v1/admin/payments/open",              access::admin, list_questions},
    {get,  "/api/v1/admin/reconciliation",             access::admin, get_reconciliation},
    {post, "/api/v1/admin/reconcile",                  access::admin, reconcile_sale},
    {get,  "/api/v1/admin/alerts",                     access::admin, list_alerts},
};
// clang-format on

// Takes the text before the next '/', and the '/'.
std::string_view next_segment(std::string_view& rest) {
    const std::string_view segment = rest.substr(0, rest.find('/'));
    rest.remove_prefix(segment.size() < rest.size() ? segment.size() + 1 : segment.size());
    return segment;
}

// The numbers in the {} places; nothing when the path does not fit the pattern.
std::optional<std::vector<std::int64_t>> fit(std::string_view pattern, std::string_view path) {
    std::vector<std::int64_t> ids;
    if (path.ends_with('/')) return std::nullopt;  // "/api/v1/me/" is not "/api/v1/me"
    while (!pattern.empty()) {
        const std::string_view wanted = next_segment(pattern);
        const std::string_view found = next_segment(path);
        if (wanted.starts_with('{')) {
            const auto number = sale::parse_order_no(found);  // the same rules for every number
            if (!number) return std::nullopt;
            ids.push_back(static_cast<std::int64_t>(number->value));
        } else if (wanted != found) {
            return std::nullopt;
        }
    }
    if (!path.empty()) return std::nullopt;
    return ids;
}

}  // namespace

std::span<const route> routes() { return table; }

route_match match(verb v, std::string_view path) {
    route_match out;
    for (const route& r : table) {
        auto ids = fit(r.path, path);
        if (!ids) continue;
        out.path_known = true;
        if (!out.allow.empty()) out.allow += ", ";
        out.allow += to_text(r.verb);
        if (r.verb != v) continue;
        out.route = &r;
        out.ids = std::move(*ids);
        return out;
    }
    return out;
}

const char* to_text(verb v) {
    switch (v) {
    case verb::get: return "GET";
    case verb::post: return "POST";
    case verb::put: return "PUT";
    case verb::other: break;
    }
    return "";
}

}  // namespace floodgate::api
