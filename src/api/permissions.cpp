#include "api/permissions.hpp"

#include <algorithm>
#include <array>

namespace floodgate::api {
namespace {

using enum access;

// The calls for machines belong to no role, except to admins until every shop has API keys.
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
    row{catalogue_key, true, false, false, false},
    row{orders_key,    true, false, false, false},
    row{logins_key,    true, false, false, false},
    row{payment_key,   true, false, false, false},
};
// clang-format on

}  // namespace

bool may(sale::role who, access a) {
    if (!is_for_staff(a) && !is_for_machines(a)) return true;
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

}  // namespace floodgate::api
