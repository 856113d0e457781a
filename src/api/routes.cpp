#include "api/routes.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "api/account_admin.hpp"
#include "api/admin_api.hpp"
#include "api/auth_api.hpp"
#include "api/key_admin.hpp"
#include "api/login_exchange.hpp"
#include "api/login_list_api.hpp"
#include "api/message_api.hpp"
#include "api/operations_api.hpp"
#include "api/ops_api.hpp"
#include "api/order_api.hpp"
#include "api/orders_out_api.hpp"
#include "api/password_api.hpp"
#include "api/picture_api.hpp"
#include "api/points_api.hpp"
#include "api/second_factor_api.hpp"
#include "api/service_api.hpp"
#include "api/staff_admin.hpp"
#include "api/ws_api.hpp"
#include "sale/order_number.hpp"

namespace floodgate::api {
namespace {

using enum verb;
using enum budget;

// clang-format off
constexpr route table[] = {
    // First, because it is looked up most.
    {post, "/api/v1/sales/{id}/orders", access::buyer, nullptr, pool::general, on_loop::purchase},

    {get,  "/healthz", access::open, nullptr, pool::general, on_loop::healthz},
    {get,  "/readyz",  access::open, nullptr, pool::general, on_loop::readyz},
    {get,  "/metrics", access::open, metrics, pool::admin,   on_loop::metrics},

    {get,  "/api/v1/openapi.json",      access::open, nullptr, pool::general, on_loop::openapi},
    {get,  "/api/v1/time",              access::open, nullptr, pool::general, on_loop::time},
    {get,  "/api/v1/rounds",            access::open, nullptr, pool::general, on_loop::rounds},
    {get,  "/api/v1/rounds/ended",      access::open, nullptr, pool::general,
     on_loop::ended_rounds},
    {get,  "/api/v1/shop",              access::open, nullptr, pool::general, on_loop::shop},
    {get,  "/api/v1/sales/{id}",        access::open, nullptr, pool::general, on_loop::sale},

    {post, "/api/v1/auth/register", access::open, nullptr,
     pool::accounts, on_loop::no, none, begin_register},
    {post, "/api/v1/auth/login",    access::open, nullptr,
     pool::accounts, on_loop::no, none, begin_log_in},
    {post, "/api/v1/auth/logout",   access::self, log_out,
     pool::general, on_loop::no, lookups},
    {get,  "/api/v1/me",     access::self, me,          pool::general, on_loop::no, lookups},
    {post, "/api/v1/auth/reset", access::open, nullptr,
     pool::accounts, on_loop::no, none, begin_reset_password},
    {get,  "/api/v1/me/logins", access::buyer, list_logins,
     pool::general, on_loop::no, lookups},
    {post, "/api/v1/me/logins/{id}/end", access::buyer, end_login,
     pool::general, on_loop::no, lookups},
    {post, "/api/v1/me/logins/end-others", access::buyer, end_other_logins,
     pool::general, on_loop::no, lookups},
    {post, "/api/v1/me/password", access::self, nullptr,
     pool::accounts, on_loop::no, lookups, begin_change_password},
    {post, "/api/v1/me/second-factor/begin", access::self, begin_second_factor,
     pool::general, on_loop::no, lookups},
    {post, "/api/v1/me/second-factor/confirm", access::self, confirm_second_factor,
     pool::general, on_loop::no, lookups},
    {post, "/api/v1/me/second-factor/remove", access::self, remove_second_factor,
     pool::general, on_loop::no, lookups},
    {get,  "/api/v1/me/points", access::buyer, my_points, pool::general, on_loop::no, lookups},
    {get,  "/api/v1/orders", access::buyer, list_orders, pool::general, on_loop::no, lookups},
    {get,  "/api/v1/orders/{no}", access::buyer, get_order,
     pool::general, on_loop::order, lookups},
    {post, "/api/v1/orders/{no}/cancel", access::buyer, cancel_order,
     pool::moves, on_loop::no, moves},
    {post, "/api/v1/orders/{no}/pay",    access::buyer, pay_order,
     pool::channels, on_loop::no, moves},
    {post, "/api/v1/orders/{no}/refund", access::buyer, refund_order,
     pool::moves, on_loop::no, moves},

    {post, "/api/v1/ws/ticket",     access::buyer,  issue_ticket,
     pool::general, on_loop::no, tickets},
    {get,  "/api/v1/ws",            access::ticket, nullptr, pool::general, on_loop::socket},

    {post, "/api/v1/payments/alipay/notify", access::open, take_alipay_message,
     pool::messages, on_loop::no, messages},
    {get,  "/api/v1/payments/alipay/return", access::open, return_from_alipay,
     pool::messages, on_loop::no, messages},
    {post, "/api/v1/payments/wechat/notify", access::open, take_wechat_message,
     pool::messages, on_loop::no, messages},
    {post, "/api/v1/payments/external/paid", access::open, take_external_message,
     pool::messages, on_loop::no, messages},

    {post, "/api/v1/service/logins", access::logins_key, exchange_login, pool::admin},

    {get,  "/api/v1/admin/products",             access::see, list_products, pool::admin},
    {post, "/api/v1/admin/products",             access::sell, create_product, pool::admin},
    {get,  "/api/v1/admin/products/{id}",        access::see, get_product, pool::admin},
    {put,  "/api/v1/admin/products/{id}",        access::sell, update_product, pool::admin},
    {post, "/api/v1/admin/pictures",             access::sell, add_picture,
     pool::admin, on_loop::no, none, nullptr, picture_upload_bytes_max},
    {get,  "/pictures/{name}",                   access::open, get_picture,
     pool::general, on_loop::picture},
    {put,  "/api/v1/service/products",           access::catalogue_key, put_products,
     pool::admin, on_loop::no, none, nullptr, batch_bytes_max},
    {put,  "/api/v1/service/sales",              access::catalogue_key, put_sales,
     pool::admin, on_loop::no, none, nullptr, batch_bytes_max},
    {get,  "/api/v1/admin/rounds",               access::see, list_rounds, pool::admin},
    {post, "/api/v1/admin/rounds",               access::sell, create_round, pool::admin},
    {get,  "/api/v1/admin/rounds/{id}",          access::see, get_round, pool::admin},
    {put,  "/api/v1/admin/rounds/{id}",          access::sell, update_round, pool::admin},
    {get,  "/api/v1/admin/sales",                access::see, list_sales, pool::admin},
    {post, "/api/v1/admin/sales",                access::sell, create_sale, pool::admin},
    {get,  "/api/v1/admin/sales/{id}",           access::see, get_sale, pool::admin},
    {put,  "/api/v1/admin/sales/{id}",           access::sell, update_sale, pool::admin},
    {post, "/api/v1/admin/sales/{id}/publish",   access::sell, publish_sale, pool::admin},
    {post, "/api/v1/admin/sales/{id}/pause",     access::sell, pause_sale, pool::admin},
    {post, "/api/v1/admin/sales/{id}/resume",    access::sell, resume_sale, pool::admin},
    {post, "/api/v1/admin/sales/{id}/end",       access::sell, end_sale, pool::admin},
    {post, "/api/v1/admin/sales/{id}/warm-up",   access::sell, warm_up_sale, pool::admin},
    {post, "/api/v1/admin/sales/{id}/stock",     access::sell, change_stock, pool::admin},
    {get,  "/api/v1/admin/sales/{id}/stock-log", access::see, get_stock_log, pool::admin},
    {get,  "/api/v1/admin/sales/{id}/returns",   access::see, list_returns, pool::admin},
    {get,  "/api/v1/admin/warm-up",              access::see, get_warm_up, pool::admin},
    {post, "/api/v1/admin/warm-up",              access::sell, warm_up_all, pool::admin},
    {get,  "/api/v1/admin/audit",                access::manage, list_audit, pool::admin},

    {get,  "/api/v1/admin/api-keys",             access::manage, list_keys, pool::admin},
    {post, "/api/v1/admin/api-keys",             access::manage, create_key, pool::admin},
    {post, "/api/v1/admin/api-keys/{id}/revoke", access::manage, revoke_key, pool::admin},

    {get,  "/api/v1/admin/users",              access::assist, list_users, pool::admin},
    {get,  "/api/v1/admin/users/{id}",         access::assist, get_user, pool::admin},
    {post, "/api/v1/admin/users/{id}/disable", access::manage, disable_user, pool::admin},
    {post, "/api/v1/admin/users/{id}/enable",  access::manage, enable_user, pool::admin},
    {post, "/api/v1/admin/users/{id}/forget",  access::manage, forget_user, pool::admin},
    {post, "/api/v1/admin/users/{id}/password-reset", access::assist, make_reset_code,
     pool::admin},

    {get,  "/api/v1/admin/staff",               access::manage, list_staff, pool::admin},
    {post, "/api/v1/admin/staff",               access::manage, add_staff, pool::admin},
    {post, "/api/v1/admin/staff/{id}/role",     access::manage, set_staff_role, pool::admin},
    {post, "/api/v1/admin/staff/{id}/password", access::manage, reset_staff_password, pool::admin},
    {post, "/api/v1/admin/staff/{id}/second-factor/remove", access::manage,
     remove_staff_second_factor, pool::admin},

    {get,  "/api/v1/admin/users/{id}/points",    access::money, get_points, pool::admin},
    {post, "/api/v1/admin/users/{id}/points",    access::money, grant_points, pool::admin},

    {get,  "/api/v1/admin/orders/{no}",    access::assist, get_order_as_admin, pool::admin},
    {get,  "/api/v1/admin/orders/{no}/attempts", access::money, list_attempts, pool::admin},
    {get,  "/api/v1/admin/orders",         access::assist, search_orders, pool::admin},
    {get,  "/api/v1/admin/orders/{no}/history", access::assist, get_order_history, pool::admin},
    {post, "/api/v1/admin/orders/{no}/cancel", access::assist, cancel_order_as_admin, pool::admin},
    {post, "/api/v1/admin/orders/{no}/mark-paid", access::money, mark_order_paid, pool::admin},
    {post, "/api/v1/admin/orders/{no}/refunds/settle", access::money, settle_refund_by_hand,
     pool::admin},
    {get,  "/api/v1/service/events",       access::orders_key, list_events, pool::admin},
    {post, "/api/v1/admin/orders/{no}/refund", access::assist, refund_order_as_admin, pool::admin},
    {get,  "/api/v1/admin/payments/open",  access::money, list_questions, pool::admin},
    {get,  "/api/v1/admin/payments/extra", access::money, list_extra_money, pool::admin},
    {get,  "/api/v1/admin/payments/messages", access::money, list_messages, pool::admin},
    {post, "/api/v1/admin/payments/bills", access::money, check_bill,
     pool::admin, on_loop::no, none, nullptr, bill_bytes_max},
    {get,  "/api/v1/admin/reconciliation", access::see, get_reconciliation, pool::admin},
    {post, "/api/v1/admin/reconcile",      access::sell, reconcile_sale, pool::admin},
    {get,  "/api/v1/admin/alerts",         access::see, list_alerts, pool::admin},
    {get,  "/api/v1/admin/switches",       access::manage, get_switches, pool::admin},
    {put,  "/api/v1/admin/switches",       access::manage, change_switches, pool::admin},
    {get,  "/api/v1/admin/live",           access::see, get_live, pool::admin},
    {get,  "/api/v1/admin/health",         access::see, get_health, pool::admin},
    {get,  "/api/v1/admin/config",         access::manage, get_configuration, pool::admin},

    {get,  "/api/v1/admin/dead-letters",              access::see, list_letters, pool::admin},
    {get,  "/api/v1/admin/dead-letters/{id}",         access::see, get_letter, pool::admin},
    {post, "/api/v1/admin/dead-letters/{id}/replay",  access::sell, replay_letter, pool::admin},
    {post, "/api/v1/admin/dead-letters/{id}/discard", access::sell, discard_letter, pool::admin},
};
// clang-format on

// A path with at most one place for a number or a text: what stands before and after the place.
struct pattern {
    std::string_view before, after;
    bool has_number = false;
    bool has_name = false;
};

constexpr pattern pattern_of(std::string_view path) {
    const std::size_t open = path.find('{');
    if (open == path.npos) return {path, {}};
    const std::size_t close = path.find('}');
    const bool has_name = path.substr(open, close + 1 - open) == "{name}";
    return {path.substr(0, open), path.substr(close + 1), !has_name, has_name};
}

constexpr auto patterns = [] {
    std::array<pattern, std::size(table)> out{};
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = pattern_of(table[i].path);
    return out;
}();
static_assert(std::ranges::none_of(patterns,
                                   [](const pattern& p) {
                                       return p.after.find('{') != p.after.npos;
                                   }),
              "one place in a path: route_match has room for no more");

// The places in the table of the routes that take files.
constexpr auto file_routes = [] {
    std::array<std::size_t, std::ranges::count_if(table, &route::takes_file)> out{};
    for (std::size_t i = 0, next = 0; i < std::size(table); ++i)
        if (table[i].takes_file()) out[next++] = i;
    return out;
}();
// What stood in the path's place.
struct fitted {
    std::int64_t id = 0;
    std::string_view name{};
};

// Empty when the path does not fit.
std::optional<fitted> fit(const pattern& p, std::string_view path) {
    if (!p.has_number && !p.has_name)
        return path == p.before ? std::optional<fitted>(fitted{}) : std::nullopt;
    if (path.size() <= p.before.size() + p.after.size() || !path.starts_with(p.before) ||
        !path.ends_with(p.after))
        return std::nullopt;
    path.remove_prefix(p.before.size());
    path.remove_suffix(p.after.size());
    if (p.has_name)
        return path.find('/') == path.npos ? std::optional<fitted>(fitted{0, path}) : std::nullopt;
    const auto number = sale::parse_order_no(path);  // the same rules for every number
    if (!number) return std::nullopt;
    return fitted{static_cast<std::int64_t>(number->value)};
}

}  // namespace

std::span<const route> routes() { return table; }

route_match match(verb v, std::string_view path) {
    for (std::size_t i = 0; i < patterns.size(); ++i) {
        if (table[i].verb != v) continue;
        if (const auto in = fit(patterns[i], path)) return {&table[i], in->id, in->name};
    }
    return {};
}

std::size_t file_bytes_max(verb v, std::string_view path) {
    for (const std::size_t i : file_routes)
        if (table[i].verb == v && fit(patterns[i], path)) return table[i].file_bytes_max;
    return 0;
}

std::string allowed_verbs(std::string_view path, door at) {
    std::string out;
    for (std::size_t i = 0; i < patterns.size(); ++i) {
        if (!is_shown(table[i], at) || !fit(patterns[i], path)) continue;
        if (!out.empty()) out += ", ";
        out += to_text(table[i].verb);
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
