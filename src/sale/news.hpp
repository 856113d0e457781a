// News of an order: its present state, for the buyer's sockets and polls.

#pragma once

#include <functional>
#include <span>
#include <vector>

#include "sale/order.hpp"

namespace floodgate::sale {

struct order_news {
    order what;
    // The number of the move among the ledger's events; it grows with time. 0: the order was just
    // entered, so that every other move is later, or it is being closed.
    std::int64_t event = 0;
};

// The news of orders that were just entered.
std::vector<order_news> news_of(std::vector<order>&& entered);

// Called on the thread that made the move, after the move is durable. Must be quick and must not
// throw.
using tell_news = std::function<void(std::span<const order_news>)>;

}  // namespace floodgate::sale
