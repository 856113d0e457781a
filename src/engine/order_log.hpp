// One line for each end of an order, and at debug one for each move.

#pragma once

#include <span>

#include "base/log.hpp"
#include "sale/news.hpp"
#include "sale/order_number.hpp"

namespace floodgate::engine {

constexpr bool is_an_end(sale::order_state s) {
    using enum sale::order_state;
    return s == paid || s == closed || s == refunded || s == failed;
}

// To be called once for each move, on the node that made it.
inline void log_moves(std::span<const sale::order_news> news) {
    for (const sale::order_news& n : news) {
        const sale::order& o = n.what;
        const auto which = is_an_end(o.state) ? log::level::info : log::level::debug;
        if (!log::enabled(which)) continue;
        log::write(which, is_an_end(o.state) ? "engine.order_ended" : "engine.order_moved",
                   log::pairs_of("order", sale::to_text(o.no), "state", sale::to_text(o.state),
                                 "reason", o.reason.empty() ? "-" : o.reason, "sale", o.sale.value,
                                 "buyer", o.buyer.value, "quantity", o.quantity));
    }
}

}  // namespace floodgate::engine
