// An order: a promise entered in the ledger.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "sale/ids.hpp"

namespace floodgate::sale {

enum class order_state : std::uint8_t {
    queued = 1,  // promised, not yet in the ledger; this state is never stored
    unpaid,      // in the ledger, its unit held until the payment deadline
    paid,
    refunding,
    refunded,
    closed,  // timed out or cancelled: its unit went back
    failed,  // the ledger refused the promise: `reason` says why, its unit went back
};

inline constexpr std::uint8_t order_states = 7;

// A unit in one of these states counts against the sale's stock and the buyer's limit.
constexpr bool holds_stock(order_state s) {
    return s == order_state::queued || s == order_state::unpaid || s == order_state::paid ||
           s == order_state::refunding;
}

// The buyer gave the order up: cancelled it, or did not pay in time. A refund is agreed upon and a
// failure is the shop's fault, so neither causes a cool-down.
constexpr bool is_given_up(order_state s) { return s == order_state::closed; }

// What is paid or given back: money or points.
struct price {
    fen money{};
    points in_points{};

    friend bool operator==(const price&, const price&) = default;
};

struct order {
    order_no no;
    sale_id sale;
    user_id buyer;
    std::uint32_t quantity = 1;
    fen amount;  // unit price x quantity
    points amount_points;
    order_state state{};
    std::string reason;  // failed, closed: why; otherwise empty
    instant created_at;  // the moment of the promise
    instant pay_by;      // unpaid: the payment deadline
    // unpaid, but being closed: why (timed_out, cancelled). A payment was begun, and its channel
    // has not yet said that it can no longer be completed; until then the units are held. Empty:
    // the order is not being closed.
    std::string closing;
    fen refunded{};        // how much of `amount` was given back so far
    std::string method{};  // paid: with which; empty: it was never paid
    // When the ledger learnt of it; instant{}: it has not happened. refunded_at is the latest time
    // that money went back.
    instant paid_at{}, closed_at{}, refunded_at{};
};

// What one unit cost.
constexpr std::int64_t of_one_unit(std::int64_t amount, std::uint32_t quantity) {
    return quantity == 0 ? amount : amount / quantity;
}

// The order is being closed or refunded, and its payment channel decides what happens next.
inline bool waits_for_channel(const order& o) {
    return o.state == order_state::refunding ||
           (o.state == order_state::unpaid && !o.closing.empty());
}

// The order that a promise will become: queued, with the time of the promise as its deadline.
struct promise;
order order_from(const promise& p);

// "queued", "unpaid" ...: the words of JSON, SQL and logs.
const char* to_text(order_state state);
std::optional<order_state> parse_order_state(std::string_view text);

}  // namespace floodgate::sale
