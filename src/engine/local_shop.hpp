// What one node shows and remembers by itself: the parts of the storefront that a shop::node keeps
// true when something happened, here or on another node.

#pragma once

#include "api/showcase.hpp"
#include "guard/rate_limiter.hpp"
#include "guard/sessions.hpp"
#include "push/mailroom.hpp"
#include "shop/recent_orders.hpp"

namespace floodgate::engine {

struct local_shop {
    guard::sessions& sessions;
    shop::recent_orders& recent;
    push::mailroom& mailroom;
    api::showcase& showcase;
    guard::rate_limiter &login_by_address, &login_by_phone, &purchase_by_address, &purchase_by_user,
        &ticket_by_user;
};

// Buyers of this node see the catalogue as it is in the ledger now. A failure is logged.
void show_catalogue(api::showcase& showcase);

}  // namespace floodgate::engine
