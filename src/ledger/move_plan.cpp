#include "ledger/move_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

namespace floodgate::ledger {
namespace {

using sale::order_event;
using sale::order_state;

move_plan not_moved(obstacle why = obstacle::state) { return {.why_not = why}; }

bool allows(const order_row& r, order_event event) {
    return sale::after(r.order.state, event).has_value();
}
bool is_closing(const order_row& r) { return !r.order.closing.empty(); }

[[noreturn]] void damaged(const sale::order& o, std::string_view what) {
    throw store::sql_error(store::sql_failure::corrupt,
                           fmt::format("order {}: {}", o.no.value, what));
}

// Why it is being closed. Only these two words are written.
order_event cause_of(const sale::order& o) {
    for (const auto cause : {order_event::timed_out, order_event::cancelled})
        if (o.closing == to_text(cause)) return cause;
    damaged(o, "is being closed, and nobody knows why");
}

// The channels of all open trades, except that of `method`, are to close them.
void ask_to_close(move_plan& plan, const order_row& r, std::string_view method = {}) {
    for (const trade_row& t : r.trades)
        if (t.state == trade_state::open && t.method != method)
            plan.trades.push_back({.method = t.method, .state = t.state, .asks = true});
}

move_plan plan_begin(const order_row& r, const move_request& m) {
    if (!allows(r, order_event::paid) || is_closing(r)) return not_moved();
    if (m.now >= r.order.pay_by) return not_moved(obstacle::too_late);
    const trade_row* const known = r.trade(m.method);
    if (known && known->state != trade_state::open) return not_moved(obstacle::trade_closed);
    move_plan plan{.moves = true};
    if (!known)
        plan.trades.push_back(
            {.method = m.method, .state = trade_state::open, .is_new = true, .price = m.price});
    return plan;
}

// At once if nothing can be paid any more; otherwise the channels have to say so first.
move_plan plan_closing(const order_row& r, order_event cause) {
    if (!allows(r, cause) || is_closing(r)) return not_moved();
    if (!r.has_open_trade()) return {.moves = true, .event = cause};
    move_plan plan{.moves = true, .closing = to_text(cause)};
    ask_to_close(plan, r);
    return plan;
}

move_plan plan_pay(const order_row& r, const move_request& m) {
    const trade_row* const known = r.trade(m.method);
    if (known && (known->state == trade_state::paid || known->state == trade_state::extra))
        return not_moved();  // this money is known
    const sale::price price = known ? known->price : sale::price{r.order.amount};
    const auto becomes = [&](trade_state s) {
        return trade_change{.method = m.method, .state = s, .is_new = !known, .price = price};
    };
    if (allows(r, order_event::paid)) {
        move_plan plan{.moves = true, .event = order_event::paid, .money = money_fate::taken};
        plan.trades.push_back(becomes(trade_state::paid));
        ask_to_close(plan, r, m.method);  // so that nobody pays twice
        return plan;
    }
    const bool was_paid = r.paid_trade() != nullptr;
    move_plan plan{.moves = true, .money = was_paid ? money_fate::twice : money_fate::late};
    plan.trades.push_back(becomes(trade_state::extra));
    plan.asks_refund = refund{.number = fmt::format("{}E-{}", r.order.no.value, m.method),
                              .order = r.order.no,
                              .method = std::string(m.method),
                              .price = price,
                              .cause = was_paid ? refund_cause::twice : refund_cause::late,
                              .asked_at = m.now};
    return plan;
}

move_plan plan_pay_reserved(const order_row& r, const move_request& m) {
    const trade_row* const known = r.trade(m.method);
    const bool may = allows(r, order_event::paid) && !is_closing(r) && known &&
                     known->state == trade_state::open;
    return may ? plan_pay(r, m) : not_moved();
}

// Only an unpaid order: money that an admin has seen is never refunded by itself.
move_plan plan_pay_by_hand(const order_row& r, const move_request& m) {
    return allows(r, order_event::paid) && !is_closing(r) ? plan_pay(r, m) : not_moved();
}

move_plan plan_close(const order_row& r, const move_request& m) {
    const trade_row* const known = r.trade(m.method);
    if (!known || known->state != trade_state::open) return not_moved();
    move_plan plan{.moves = true};
    plan.trades.push_back({.method = known->method, .state = trade_state::closed});
    const bool another = std::ranges::any_of(
        r.trades, [&](const trade_row& t) { return t.state == trade_state::open && &t != known; });
    if (is_closing(r) && !another) {
        plan.event = cause_of(r.order);
        if (!allows(r, *plan.event)) damaged(r.order, "is being closed, but is not unpaid");
    }
    return plan;
}

move_plan plan_ask_refund(const order_row& r, const move_request& m) {
    if (!allows(r, order_event::refund_asked)) return not_moved();
    const trade_row* const paid = r.paid_trade();
    if (!paid) damaged(r.order, "is paid, but there is no trade");
    const refund_wish& wish = *m.wish;
    if (wish.within && m.now > paid->paid_at + *wish.within) return not_moved(obstacle::too_late);
    sale::price back{{paid->price.money.value - r.order.refunded.value}, paid->price.in_points};
    if (wish.amount.value > 0) {  // Points go back only all together.
        if (wish.amount > back.money) return not_moved(obstacle::too_much);
        back = {wish.amount};
    }
    move_plan plan{.moves = true, .event = order_event::refund_asked};
    plan.asks_refund = refund{.number = fmt::format("{}R{}", r.order.no.value, r.refunds + 1),
                              .order = r.order.no,
                              .method = paid->method,
                              .price = back,
                              .cause = wish.cause,
                              .reason = wish.reason,
                              .asked_by = wish.by,
                              .asked_at = m.now};
    return plan;
}

move_plan plan_finish_refund(const order_row& r, const move_request& m) {
    const auto found = std::ranges::find(r.asked, m.refund_number, &refund::number);
    if (found == r.asked.end()) return not_moved();
    move_plan plan{.moves = true, .finishes = found->number};
    if (found->is_extra()) return plan;
    const trade_row* const paid = r.paid_trade();
    if (!paid) damaged(r.order, "is being refunded, but there is no trade");
    plan.given_back = found->price.money;
    const bool all = r.order.refunded.value + found->price.money.value == paid->price.money.value;
    plan.event = all ? order_event::refund_done : order_event::part_refunded;
    if (!allows(r, *plan.event)) damaged(r.order, "has a refund, but is not refunding");
    return plan;
}

}  // namespace

const char* to_text(move_kind kind) {
    constexpr std::array names{"moves.begin_payment", "moves.cancel",       "moves.ask_refund",
                               "moves.pay",           "moves.pay_reserved", "moves.close",
                               "moves.finish_refund", "moves.note",         "moves.pay_by_hand"};
    return names.at(static_cast<std::size_t>(kind) - 1);
}

move_plan plan_move(const order_row& row, const move_request& m) {
    if (!row.damage.empty()) damaged(row.order, row.damage);
    if (row.order.state == order_state::unpaid && row.paid_trade())
        damaged(row.order, "is unpaid, but a trade is paid");
    switch (m.kind) {
    case move_kind::begin_payment: return plan_begin(row, m);
    case move_kind::cancel: return plan_closing(row, order_event::cancelled);
    case move_kind::ask_refund: return plan_ask_refund(row, m);
    case move_kind::pay: return plan_pay(row, m);
    case move_kind::pay_reserved: return plan_pay_reserved(row, m);
    case move_kind::close: return plan_close(row, m);
    case move_kind::finish_refund: return plan_finish_refund(row, m);
    case move_kind::note: return {};
    case move_kind::pay_by_hand: return plan_pay_by_hand(row, m);
    }
    std::abort();  // A value outside the enum is a bug, not an input.
}

move_plan plan_time_out(const order_row& row) { return plan_closing(row, order_event::timed_out); }

std::string_view method_in(const move_plan& plan) {
    if (plan.event != order_event::paid) return {};
    const auto paid = std::ranges::find(plan.trades, trade_state::paid, &trade_change::state);
    return paid == plan.trades.end() ? std::string_view() : paid->method;
}

sale::order order_after(sale::order order, const move_plan& plan, instant at) {
    if (plan.event) {
        const auto to = sale::after(order.state, *plan.event);
        assert(to);
        if (*to == order_state::closed) {
            order.reason = to_text(*plan.event);
            order.closed_at = at;
        }
        if (*plan.event == order_event::paid) {
            order.method = method_in(plan);
            order.paid_at = at;
        }
        if (*plan.event == order_event::part_refunded || *plan.event == order_event::refund_done)
            order.refunded_at = at;
        order.state = *to;
        order.closing.clear();
    } else if (!plan.closing.empty()) {
        order.closing = plan.closing;
    }
    order.refunded.value += plan.given_back.value;
    return order;
}

}  // namespace floodgate::ledger
