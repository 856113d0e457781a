// The parts of the storefront with a memory of their own. A shop::node updates them when something
// happened, here or on another node.

#pragma once

#include <string>
#include <vector>

#include "api/live_view.hpp"
#include "api/showcase.hpp"
#include "guard/rate_limiter.hpp"
#include "guard/sessions.hpp"
#include "push/mailroom.hpp"
#include "shop/access_register.hpp"
#include "shop/recent_orders.hpp"

namespace floodgate::engine {

// A rate limiter that the nodes of a cluster share: guard/shared_limits.hpp.
struct shared_limit {
    std::string name;
    guard::rate_limiter& limiter;
    double share_from = 0;  // part of a burst; a bucket used less than this is not sent to Redis
};

struct local_shop {
    guard::sessions& sessions;
    shop::recent_orders& recent;
    push::mailroom& mailroom;
    api::showcase& showcase;
    api::live_view& live;
    shop::access_register& access;
    std::vector<shared_limit> limits;
};

// Reads the catalogue from the ledger, so that buyers of this node see it. A failure is logged.
void show_catalogue(api::showcase& showcase);

}  // namespace floodgate::engine
