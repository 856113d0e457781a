#include "api/permissions.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace floodgate::api {
namespace {

using enum access;

// The calls for machines belong to no role: they need an API key.
struct row {
    access needs;
    bool admin, sales_operator, viewer, support;
};
// clang-format off
constexpr std::array staff_table{
    row{see,           true, true,  true,  true},
    row{sell,          true, true,  false, false},
    row{assist,        true, false, false, true},
    row{money,         true, false, false, false},
    row{manage,        true, false, false, false},
};
// clang-format on

std::optional<guard::scope> scope_of(access a) {
    switch (a) {
    case access::catalogue_key: return guard::scope::catalogue;
    case access::orders_key: return guard::scope::orders;
    case access::logins_key: return guard::scope::logins;
    case access::payment_key: return guard::scope::payment;
    default: return std::nullopt;
    }
}

}  // namespace

bool may(sale::role who, access a) {
    if (is_for_machines(a)) return false;
    if (!is_for_staff(a)) return true;
    const auto found = std::ranges::find(staff_table, a, &row::needs);
    if (found == staff_table.end()) return false;
    switch (who) {
    case sale::role::admin: return found->admin;
    case sale::role::sales_operator: return found->sales_operator;
    case sale::role::viewer: return found->viewer;
    case sale::role::support: return found->support;
    case sale::role::buyer: break;
    }
    return false;
}

std::string_view to_word(access a) {
    switch (a) {
    case open: return "open";
    case ticket: return "ticket";
    case self: return "self";
    case buyer: return "buyer";
    case see: return "see";
    case sell: return "sell";
    case assist: return "assist";
    case money: return "money";
    case manage: return "manage";
    case catalogue_key: return "catalogue_key";
    case orders_key: return "orders_key";
    case logins_key: return "logins_key";
    case payment_key: return "payment_key";
    }
    return "";
}

std::vector<access> permissions_of(sale::role who) {
    std::vector<access> out;
    for (const access a : {see, sell, assist, money, manage})
        if (may(who, a)) out.push_back(a);
    return out;
}

bool may(const guard::api_key& key, access a) {
    const auto needed = scope_of(a);
    return needed && key.has(*needed);
}

}  // namespace floodgate::api
