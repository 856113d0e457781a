#include "sale/order_move.hpp"

#include <array>

namespace floodgate::sale {
namespace {

struct move {
    order_state from;
    order_event on;
    order_state to;
};

// A move that is not in this table is not allowed.
constexpr std::array<move, 8> table{{
    {order_state::queued, order_event::entered, order_state::unpaid},
    {order_state::queued, order_event::refused, order_state::failed},
    {order_state::unpaid, order_event::paid, order_state::paid},
    {order_state::unpaid, order_event::timed_out, order_state::closed},
    {order_state::unpaid, order_event::cancelled, order_state::closed},
    {order_state::paid, order_event::refund_asked, order_state::refunding},
    {order_state::refunding, order_event::refund_done, order_state::refunded},
    {order_state::refunding, order_event::part_refunded, order_state::paid},
}};

}  // namespace

std::optional<order_state> after(order_state state, order_event event) {
    for (const move& m : table)
        if (m.from == state && m.on == event) return m.to;
    return std::nullopt;
}

const char* to_text(order_event event) {
    switch (event) {
    case order_event::entered: return "entered";
    case order_event::refused: return "refused";
    case order_event::paid: return "paid";
    case order_event::timed_out: return "timed_out";
    case order_event::cancelled: return "cancelled";
    case order_event::refund_asked: return "refund_asked";
    case order_event::refund_done: return "refund_done";
    case order_event::part_refunded: return "part_refunded";
    }
    return "?";
}

}  // namespace floodgate::sale
