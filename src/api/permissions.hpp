// What a call needs, and which roles have it: the one table of permissions.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "guard/access_list.hpp"
#include "sale/user.hpp"

namespace floodgate::api {

enum class access : std::uint8_t {
    open = 1,
    ticket,  // everybody with a ticket, see ws_api.hpp
    self,    // every user who is logged in, also while they must set up their account first
    buyer,   // every user who is logged in
    // Staff.
    see,     // look at the catalogue, figures, alerts and reconciliation
    sell,    // change the catalogue, stock and dead letters
    assist,  // look up buyers and their orders, cancel, refund
    money,   // payments, bills, points
    manage,  // users, staff, API keys, webhooks, switches, audit
    // Machines: the scopes of API keys.
    catalogue_key,
    orders_key,
    logins_key,
    payment_key,
};

constexpr bool is_for_staff(access a) { return a >= access::see && a <= access::manage; }
constexpr bool is_for_machines(access a) { return a >= access::catalogue_key; }

// Whether a user with this role may make a call that needs `a`. No user may make the calls of
// machines.
bool may(sale::role who, access a);
// Whether an API key may: only the calls of its scopes.
bool may(const guard::api_key& key, access a);

// "see", "catalogue_key" ...: the word in JSON and in openapi.json.
std::string_view to_word(access a);
// The staff permissions of a role, in the order of `access`; none for buyers.
std::vector<access> permissions_of(sale::role who);

}  // namespace floodgate::api
