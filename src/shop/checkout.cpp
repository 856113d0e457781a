#include "shop/checkout.hpp"

#include "base/log.hpp"
#include "sale/order_number.hpp"

namespace floodgate::shop {
namespace {

using sale::order_state;

checkout_answer no_effect(const sale::order& o) { return {checkout_step::no_effect, o}; }
checkout_answer done(const sale::order& o) { return {checkout_step::done, o}; }
checkout_answer under_way(const sale::order& o) { return {checkout_step::under_way, o}; }

checkout_answer refused(const sale::order& o, pay::refusal why) {
    return {why == pay::refusal::no_price ? checkout_step::no_price : checkout_step::not_enough, o};
}

enum class word : std::uint8_t { paid = 1, closed, refunded, unsure };

struct heard {
    word said = word::unsure;
    std::string note{};  // unsure: why
};

heard ask_to_close(pay::channel& c, const sale::order& o) {
    pay::trade trade = c.query(o);
    if (trade == pay::trade::open) {
        trade = c.close(o);
        // Some channels say that a trade is closed although it was paid in the last moment.
        if (trade == pay::trade::closed || trade == pay::trade::absent) trade = c.query(o);
    }
    switch (trade) {
    case pay::trade::paid: return {word::paid};
    case pay::trade::absent:
    case pay::trade::closed: return {word::closed};
    case pay::trade::open: return {word::unsure, "the trade is still open"};
    case pay::trade::unsure: break;
    }
    return {word::unsure, "no clear answer"};
}

heard ask_to_refund(pay::channel& c, const sale::order& o) {
    const auto all = pay::whole_refund(o, pay::trade_number(o) + "R1");
    if (c.refund(o, all) == pay::refund_answer::done) return {word::refunded};
    return {word::unsure, "no clear answer"};
}

// Turns everything that a channel does, also an exception, into an answer.
heard hear(pay::channel* c, const ledger::open_question& q) {
    if (c == nullptr) return {word::unsure, "no channel"};
    try {
        return q.what == ledger::question::close ? ask_to_close(*c, q.order)
                                                 : ask_to_refund(*c, q.order);
    } catch (const std::exception& e) {
        return {word::unsure, e.what()};
    } catch (...) {
        return {word::unsure, "the channel threw something"};
    }
}

result<checkout_step> step_of(const result<checkout_answer>& a) {
    if (!a) return a.error();
    return a->step;
}

result<inquiry> inquiry_after(const result<checkout_answer>& entered) {
    if (!entered) return entered.error();
    if (entered->step == checkout_step::done) return inquiry{inquiry_outcome::settled};
    return inquiry{inquiry_outcome::overtaken, "the order did not move"};
}

}  // namespace

std::vector<std::string_view> checkout::methods() const {
    std::vector<std::string_view> out;
    for (const auto& channel : world_.channels.all()) out.push_back(channel->method());
    return out;
}

result<checkout_answer> checkout::begin(sale::order_no no, sale::user_id buyer,
                                        const std::string& method) {
    pay::channel* const channel = world_.channels.find(method);
    if (!channel) return errc::invalid;
    if (auto refusal = refusal_of(*channel, no, buyer); !refusal || *refusal)
        return refusal ? result<checkout_answer>(**std::move(refusal)) : refusal.error();
    // Write the ledger first: from now on the order is not closed without asking this channel.
    const instant now = world_.clock.now();
    const auto begun = world_.moves.begin_payment(no, buyer, method, now);
    if (!begun) return begun.error();
    const sale::order& order = begun->order;
    if (!begun->moved) {
        const bool may_be_paid = order.state == order_state::unpaid && order.closing.empty();
        if (may_be_paid && now >= order.pay_by)
            return checkout_answer{checkout_step::too_late, order};
        return no_effect(order);
    }
    auto trade = channel->begin(order);
    if (!trade) return trade.error();
    if (trade->refused) return refused(order, *trade->refused);
    if (trade->reserved) return take_reserved(no, method);
    if (!trade->paid) return checkout_answer{checkout_step::under_way, order, *std::move(trade)};
    // If the ledger fails now, the channel is asked when the order is due.
    const auto paid = take_money(no);
    if (!paid) return paid.error();
    // The channel's own message may have been faster.
    return paid->order.state == order_state::paid ? done(paid->order) : no_effect(paid->order);
}

// Asked before the ledger binds the order to the channel: a buyer who has too few points can still
// pay in another way. Orders that cannot be paid anyway are left to the ledger.
result<std::optional<checkout_answer>> checkout::refusal_of(pay::channel& c, sale::order_no no,
                                                            sale::user_id buyer) const {
    const auto known = world_.moves.find(no);
    if (!known) return known.error();
    const sale::order& order = known->order;
    if (order.buyer != buyer) return errc::not_found;
    if (order.state != order_state::unpaid || !order.closing.empty() ||
        world_.clock.now() >= order.pay_by)
        return std::nullopt;
    const auto why = c.refuses(order);
    if (!why) return why.error();
    if (!*why) return std::nullopt;
    return std::optional(refused(order, **why));
}

result<checkout_answer> checkout::take_reserved(sale::order_no no, std::string_view method) {
    pay::channel* const channel = world_.channels.find(method);
    if (!channel) return errc::invalid;
    const auto moved = world_.moves.pay_reserved(no, std::string(method), world_.clock.now());
    if (!moved) return moved.error();
    if (!moved->moved)
        return moved->order.state == order_state::paid ? done(moved->order)
                                                       : no_effect(moved->order);
    world_.settlement.settle(*moved);
    channel->settled(moved->order);
    return done(moved->order);
}

result<checkout_answer> checkout::cancel(sale::order_no no, sale::user_id buyer) {
    const auto moved = world_.moves.cancel(no, buyer, world_.clock.now());
    if (!moved) return moved.error();
    if (!moved->moved) return no_effect(moved->order);
    world_.settlement.settle(*moved);
    return moved->order.closing.empty() ? done(moved->order) : under_way(moved->order);
}

result<checkout_answer> checkout::ask_refund(sale::order_no no, sale::user_id buyer) {
    const auto moved = world_.moves.ask_refund(no, buyer, world_.clock.now());
    if (!moved) return moved.error();
    if (!moved->moved) return no_effect(moved->order);
    world_.settlement.settle(*moved);
    return under_way(moved->order);
}

result<checkout_step> checkout::notified(sale::order_no no, pay::trade trade) {
    switch (trade) {
    case pay::trade::paid: return step_of(take_money(no));
    case pay::trade::absent:
    case pay::trade::closed: return step_of(close(no));
    case pay::trade::open:
    case pay::trade::unsure: break;
    }
    return checkout_step::no_effect;
}

result<inquiry> checkout::inquire(const ledger::open_question& q) {
    const heard answer = hear(world_.channels.find(q.method), q);
    switch (answer.said) {
    case word::paid: return inquiry_after(take_money(q.order.no));
    case word::closed: return inquiry_after(close(q.order.no));
    case word::refunded: return inquiry_after(finish_refund(q.order.no));
    case word::unsure: break;
    }
    return inquiry{inquiry_outcome::unsure, answer.note};
}

result<checkout_answer> checkout::take_money(sale::order_no no) {
    const auto moved = world_.moves.pay(no, world_.clock.now());
    if (!moved) return moved.error();
    if (moved->moved) {
        world_.settlement.settle(*moved);
        return done(moved->order);
    }
    const order_state state = moved->order.state;
    if (state == order_state::closed || state == order_state::failed) return return_late_money(no);
    return no_effect(moved->order);
}

// The payment inquiries find the open inquiry at their next step.
result<checkout_answer> checkout::return_late_money(sale::order_no no) {
    const auto asked = world_.moves.refund_late_money(no, world_.clock.now());
    if (!asked) return asked.error();
    if (asked->moved) log::warning("shop.late_money_noted", "order", sale::to_text(no));
    return under_way(asked->order);
}

result<checkout_answer> checkout::close(sale::order_no no) {
    const auto moved = world_.moves.close(no, world_.clock.now());
    if (!moved) return moved.error();
    if (!moved->moved) return no_effect(moved->order);
    world_.settlement.settle(*moved);
    return done(moved->order);
}

result<checkout_answer> checkout::finish_refund(sale::order_no no) {
    const auto moved = world_.moves.finish_refund(no, world_.clock.now());
    if (!moved) return moved.error();
    if (!moved->moved) return no_effect(moved->order);
    // When late money is back, the order itself has no news.
    if (moved->event != 0) world_.settlement.settle(*moved);
    return done(moved->order);
}

}  // namespace floodgate::shop
