// What one node shows and remembers by itself: the parts of the storefront that a shop::node keeps
// true when something happened, here or on another node.

#pragma once

#include <string>
#include <vector>

#include "api/showcase.hpp"
#include "guard/rate_limiter.hpp"
#include "guard/sessions.hpp"
#include "push/mailroom.hpp"
#include "shop/recent_orders.hpp"

namespace floodgate::engine {

// A rate limiter that the nodes of a cluster keep together: guard/shared_limits.hpp.
struct shared_limit {
    std::string name;
    guard::rate_limiter& limiter;
    double share_from = 0;  // of a burst: below that, Redis never hears of a bucket
};

struct local_shop {
    guard::sessions& sessions;
    shop::recent_orders& recent;
    push::mailroom& mailroom;
    api::showcase& showcase;
    std::vector<shared_limit> limits;
};

// Buyers of this node see the catalogue as it is in the ledger now. A failure is logged.
void show_catalogue(api::showcase& showcase);

}  // namespace floodgate::engine
