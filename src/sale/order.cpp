#include "sale/order.hpp"

#include <cstdlib>

#include "sale/promise.hpp"

namespace floodgate::sale {

order order_from(const promise& p) {
    order o;
    o.no = p.order;
    o.sale = p.sale;
    o.buyer = p.buyer;
    o.quantity = p.quantity;
    o.amount = {p.unit_price.value * p.quantity};
    o.amount_points = {p.unit_points.value * p.quantity};
    o.state = order_state::queued;
    o.created_at = o.pay_by = p.at;
    return o;
}

const char* to_text(order_state state) {
    switch (state) {
    case order_state::queued: return "queued";
    case order_state::unpaid: return "unpaid";
    case order_state::paid: return "paid";
    case order_state::refunding: return "refunding";
    case order_state::refunded: return "refunded";
    case order_state::closed: return "closed";
    case order_state::failed: return "failed";
    }
    std::abort();  // A value outside the enum is a bug, not an input.
}

std::optional<order_state> parse_order_state(std::string_view text) {
    for (auto s = order_state::queued; s <= order_state::failed;
         s = static_cast<order_state>(static_cast<int>(s) + 1)) {
        if (text == to_text(s)) return s;
    }
    return std::nullopt;
}

}  // namespace floodgate::sale
