// An order as it is now, for whoever wants to hear of it: the buyer's sockets and polls.

#pragma once

#include <functional>
#include <span>
#include <vector>

#include "sale/order.hpp"

namespace floodgate::sale {

struct order_news {
    order what;
    // The number of the move in the ledger's events, growing with time. 0: the order was entered
    // (every other move comes later), or is being closed.
    std::int64_t event = 0;
};

// What there is to tell of orders that were just entered.
std::vector<order_news> news_of(std::vector<order>&& entered);

// Told from the thread that made the move, after it is durable. Must be quick and must not throw.
using tell_news = std::function<void(std::span<const order_news>)>;

}  // namespace floodgate::sale
