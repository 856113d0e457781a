#include "ledger/move_plan.hpp"

#include <fmt/format.h>

#include <array>
#include <cassert>

namespace floodgate::ledger {
namespace {

using sale::order_event;
using sale::order_state;

constexpr std::string_view by_hand = "none";  // the method of an order paid without a channel

bool allows(const order_row& r, order_event event) {
    return sale::after(r.order.state, event).has_value();
}
bool is_closing(const order_row& r) { return r.question == asks_close; }
bool is_refund_asked(const order_row& r) { return r.question == asks_refund; }
bool gave_its_units_away(const order_row& r) {
    return r.order.state == order_state::closed || r.order.state == order_state::failed;
}
// Every paid order has a payment, also one that was paid without a channel.
std::string_view channel_unless_begun(const order_row& r) {
    return r.begun() ? std::string_view() : by_hand;
}

// Why it is being closed. Only these two words are written.
order_event cause_of(const sale::order& o) {
    for (const auto cause : {order_event::timed_out, order_event::cancelled})
        if (o.closing == to_text(cause)) return cause;
    throw store::sql_error(
        store::sql_failure::corrupt,
        fmt::format("order {} is being closed, and nobody knows why", o.no.value));
}

move_plan plan_begin(const order_row& r, const move_request& m) {
    const bool other = r.begun() && r.method != m.method;
    if (!allows(r, order_event::paid) || is_closing(r) || m.now >= r.order.pay_by || other)
        return {};
    return {.moves = true, .channel = r.begun() ? std::string_view() : m.method};
}

move_plan plan_cancel(const order_row& r) {
    if (!allows(r, order_event::cancelled) || is_closing(r)) return {};
    if (!r.begun()) return {.moves = true, .event = order_event::cancelled};
    return {.moves = true, .asks = asking{asks_close, to_text(order_event::cancelled)}};
}

move_plan plan_ask_refund(const order_row& r) {
    if (!allows(r, order_event::refund_asked)) return {};
    return {.moves = true,
            .event = order_event::refund_asked,
            .channel = channel_unless_begun(r),
            .asks = asking{asks_refund, ""}};
}

move_plan plan_pay(const order_row& r) {
    if (!allows(r, order_event::paid)) return {};
    return {.moves = true,
            .event = order_event::paid,
            .channel = channel_unless_begun(r),
            .settles = !r.question.empty()};
}

move_plan plan_pay_reserved(const order_row& r, const move_request& m) {
    return is_closing(r) || r.method != m.method ? move_plan{} : plan_pay(r);
}

move_plan plan_close(const order_row& r) {
    if (!is_closing(r)) return {};
    const order_event cause = cause_of(r.order);
    if (!allows(r, cause)) return {};
    return {.moves = true, .event = cause, .settles = true};
}

move_plan plan_finish_refund(const order_row& r) {
    if (gave_its_units_away(r) && is_refund_asked(r)) return {.moves = true, .settles = true};
    if (!allows(r, order_event::refund_done)) return {};
    return {.moves = true, .event = order_event::refund_done, .settles = !r.question.empty()};
}

move_plan plan_late_money(const order_row& r) {
    if (!gave_its_units_away(r) || is_refund_asked(r)) return {};
    return {.moves = true, .channel = channel_unless_begun(r), .asks = asking{asks_refund, ""}};
}

}  // namespace

const char* to_text(move_kind kind) {
    constexpr std::array names{"moves.begin_payment", "moves.cancel",           "moves.ask_refund",
                               "moves.pay",           "moves.pay_reserved",     "moves.close",
                               "moves.finish_refund", "moves.refund_late_money"};
    return names.at(static_cast<std::size_t>(kind) - 1);
}

move_plan plan_move(const order_row& row, const move_request& m) {
    switch (m.kind) {
    case move_kind::begin_payment: return plan_begin(row, m);
    case move_kind::cancel: return plan_cancel(row);
    case move_kind::ask_refund: return plan_ask_refund(row);
    case move_kind::pay: return plan_pay(row);
    case move_kind::pay_reserved: return plan_pay_reserved(row, m);
    case move_kind::close: return plan_close(row);
    case move_kind::finish_refund: return plan_finish_refund(row);
    case move_kind::refund_late_money: return plan_late_money(row);
    }
    std::abort();  // A value outside the enum is a bug, not an input.
}

sale::order order_after(sale::order order, const move_plan& plan) {
    if (plan.event) {
        const auto to = sale::after(order.state, *plan.event);
        assert(to);
        if (*to == order_state::closed) order.reason = to_text(*plan.event);
        order.state = *to;
        order.closing.clear();
    } else if (plan.asks && plan.asks->question == asks_close) {
        order.closing = plan.asks->cause;
    }
    return order;
}

}  // namespace floodgate::ledger
