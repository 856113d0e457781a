#include "shop/checkout.hpp"

#include "base/log.hpp"
#include "pay/call_recording.hpp"
#include "sale/order_number.hpp"

namespace floodgate::shop {
namespace {

using sale::order_state;

checkout_answer no_effect(const sale::order& o) { return {checkout_step::no_effect, o}; }
checkout_answer done(const sale::order& o) { return {checkout_step::done, o}; }
checkout_answer under_way(const sale::order& o) { return {checkout_step::under_way, o}; }

checkout_answer not_moved(const ledger::move_outcome& m) {
    switch (m.why_not) {
    case ledger::obstacle::too_late: return {checkout_step::too_late, m.order};
    case ledger::obstacle::none:
    case ledger::obstacle::state:
    case ledger::obstacle::too_much:
    case ledger::obstacle::trade_closed: break;
    }
    return no_effect(m.order);
}

checkout_answer refused(const sale::order& o, pay::refusal why) {
    return {why == pay::refusal::no_price ? checkout_step::no_price : checkout_step::not_enough, o};
}

enum class word : std::uint8_t { paid = 1, closed, refunded, waiting, unsure };

struct heard {
    word said = word::unsure;
    std::string note{};  // waiting, unsure: why
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

heard ask_to_refund(pay::channel& c, const sale::order& o, const ledger::refund& r) {
    const pay::refund_request what{r.number, r.price.money, r.price.in_points, r.reason};
    const pay::refund_answer answer = c.refund(o, what);
    switch (answer) {
    case pay::refund_answer::done: return {word::refunded};
    case pay::refund_answer::under_way:
    case pay::refund_answer::abnormal:
    case pay::refund_answer::closed: return {word::waiting, to_note(answer)};
    case pay::refund_answer::unsure: break;
    }
    return {word::unsure, to_note(pay::refund_answer::unsure)};
}

// Turns everything that a channel does, also an exception, into an answer.
heard hear(pay::channel* c, const ledger::open_question& q) {
    if (c == nullptr) return {word::unsure, "no channel"};
    try {
        return q.what == ledger::question::close ? ask_to_close(*c, q.order)
                                                 : ask_to_refund(*c, q.order, q.refund);
    } catch (const std::exception& e) {
        return {word::unsure, e.what()};
    } catch (...) {
        return {word::unsure, "the channel threw something"};
    }
}

// The recorded calls as rows of the journal.
struct about {
    sale::order_no order;
    std::string_view method;
    std::string_view refund_no{};
};
std::vector<ledger::payment_attempt> attempts_of(const pay::call_recording& made, const about& a) {
    std::vector<ledger::payment_attempt> all;
    for (const pay::remote_call& c : made.calls())
        all.push_back({.order = a.order,
                       .at = c.at,
                       .took = c.took,
                       .method = std::string(a.method),
                       .refund_no = std::string(a.refund_no),
                       .asked = c.asked,
                       .outcome = to_text(c.outcome),
                       .answer = c.answer});
    return all;
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
    const auto known = world_.moves.find(no);
    if (!known) return known.error();
    if (known->order.buyer != buyer) return errc::not_found;
    const pay::call_recording recorded;
    if (auto refusal = refusal_of(*channel, known->order); !refusal || *refusal) {
        note(known->order, attempts_of(recorded, {no, method}));
        return refusal ? result<checkout_answer>(**std::move(refusal)) : refusal.error();
    }
    const sale::price price = channel->price_of(known->order);
    // Write the ledger first: from now on the order is not closed without asking this channel.
    const instant now = world_.clock.now();
    const auto begun = world_.moves.begin_payment(no, buyer, {method, price}, now);
    if (!begun) return begun.error();
    const sale::order& order = begun->order;
    if (begun->why_not == ledger::obstacle::trade_closed) return errc::conflict;
    if (!begun->moved) return not_moved(*begun);
    return this->begun(*channel, order, recorded);
}

// The ledger knows of the trade: begins it at the channel. The calls are journalled with the move
// that follows; only if none follows do they take a transaction, which other moves share.
result<checkout_answer> checkout::begun(pay::channel& channel, const sale::order& order,
                                        const pay::call_recording& recorded) {
    const std::string_view method = channel.method();
    auto trade = channel.begin(order);
    const auto made = attempts_of(recorded, {order.no, method});
    if (trade && trade->reserved) return take_reserved(order.no, method, made);
    if (trade && trade->paid) {
        // If the ledger fails now, the channel is asked when the order is due.
        const auto paid = take_money(order.no, method, made);
        if (!paid) return paid.error();
        // The channel's own message may have been faster.
        return paid->order.state == order_state::paid ? done(paid->order) : no_effect(paid->order);
    }
    note(order, made);
    if (!trade) return trade.error();
    if (trade->refused) return refused(order, *trade->refused);
    return checkout_answer{checkout_step::under_way, order, *std::move(trade)};
}

// The journal is evidence only: what was asked of the channel counts without it, and a ledger that
// fails has logged it.
void checkout::note(const sale::order& order, calls made) {
    (void)world_.moves.note(order.no, made);
}

// Asked before the ledger is written. Orders that cannot be paid anyway are left to it.
result<std::optional<checkout_answer>> checkout::refusal_of(pay::channel& c,
                                                            const sale::order& order) const {
    if (order.state != order_state::unpaid || !order.closing.empty() ||
        world_.clock.now() >= order.pay_by)
        return std::nullopt;
    const auto why = c.refuses(order);
    if (!why) return why.error();
    if (!*why) return std::nullopt;
    return std::optional(refused(order, **why));
}

result<checkout_answer> checkout::take_reserved(sale::order_no no, std::string_view method,
                                                calls made) {
    pay::channel* const channel = world_.channels.find(method);
    if (!channel) return errc::invalid;
    const auto moved = world_.moves.pay_reserved(no, std::string(method), world_.clock.now(), made);
    if (!moved) return moved.error();
    if (!moved->moved) {
        // It may have been paid in another way meanwhile. Then the price must not be taken.
        const auto known = world_.moves.find(no);
        if (!known) return known.error();
        const bool is_paid = known->order.state == order_state::paid && known->paid_with == method;
        return is_paid ? done(known->order) : no_effect(known->order);
    }
    world_.settlement.settle(*moved);
    const pay::call_recording recorded;
    channel->settled(moved->order);
    note(moved->order, attempts_of(recorded, {no, method}));
    return done(moved->order);
}

result<checkout_answer> checkout::cancel(sale::order_no no, sale::user_id buyer) {
    const auto moved = world_.moves.cancel(no, buyer, world_.clock.now());
    if (!moved) return moved.error();
    if (!moved->moved) return no_effect(moved->order);
    world_.settlement.settle(*moved);
    return moved->order.closing.empty() ? done(moved->order) : under_way(moved->order);
}

namespace {

// The acts of admins on one order, all of which only differ in a word and a few values.
struct order_act {
    act what;
    ledger::audit_note line;

    order_act(const char* action, sale::order_no no, const actor& admin, boost::json::object after,
              instant now)
        : what{.action = action,
               .subject = "order " + sale::to_text(no),
               .after = std::move(after)},
          line(line_for({admin.who, admin.address, now}, what)) {}
    void log(const actor& admin) const { log_act(admin.who, what.action, what.subject); }
};

// Its channel has given the refund up, or never existed.
bool needs_a_hand(const ledger::open_question& q) {
    return q.method == ledger::manual_method || q.note == to_note(pay::refund_answer::closed) ||
           q.note == to_note(pay::refund_answer::abnormal);
}

}  // namespace

result<checkout_answer> checkout::cancel(sale::order_no no, const actor& admin,
                                         const std::string& reason) {
    const instant now = world_.clock.now();
    const order_act did("order.cancelled", no, admin, {{"reason", reason}}, now);
    const auto moved = world_.moves.cancel(no, did.line, now);
    if (!moved) return moved.error();
    if (!moved->moved) return no_effect(moved->order);
    did.log(admin);
    world_.settlement.settle(*moved);
    return moved->order.closing.empty() ? done(moved->order) : under_way(moved->order);
}

result<checkout_answer> checkout::mark_paid(sale::order_no no, const actor& admin,
                                            const payment_seen& what) {
    const instant now = world_.clock.now();
    const order_act did("order.marked_paid", no, admin,
                        {{"reason", what.reason}, {"reference", what.reference}}, now);
    const auto moved = world_.moves.pay_by_hand(no, did.line, now);
    if (!moved) return moved.error();
    if (!moved->moved) return no_effect(moved->order);
    did.log(admin);
    world_.settlement.settle(*moved);
    return done(moved->order);
}

result<checkout_answer> checkout::settle_refund(sale::order_no no, const actor& admin,
                                                const std::string& refund_no,
                                                const std::string& reason) {
    const auto known = world_.moves.find(no);
    if (!known) return known.error();
    const auto open = world_.moves.all_questions({no.value - 1}, 1);
    if (!open) return open.error();
    const auto asked = std::ranges::find_if(*open, [&](const ledger::open_question& q) {
        return q.order.no == no && q.what == ledger::question::refund &&
               q.refund.number == refund_no;
    });
    if (asked == open->end() || !needs_a_hand(*asked)) return no_effect(known->order);
    const instant now = world_.clock.now();
    const order_act did("refund.settled", no, admin, {{"refund_no", refund_no}, {"reason", reason}},
                        now);
    const auto moved = world_.moves.settle_refund(no, refund_no, did.line, now);
    if (!moved) return moved.error();
    if (!moved->moved) return no_effect(moved->order);
    did.log(admin);
    if (moved->event != 0) world_.settlement.settle(*moved);
    return done(moved->order);
}

result<checkout_answer> checkout::ask_refund(sale::order_no no, sale::user_id buyer,
                                             const refund_request& what) {
    return start_refund(no, buyer,
                        {.amount = what.amount,
                         .reason = what.reason,
                         .cause = ledger::refund_cause::buyer,
                         .by = buyer,
                         .within = refund_within_});
}

result<checkout_answer> checkout::refund(sale::order_no no, const actor& admin,
                                         const refund_request& what) {
    const act done{
        .action = "order.refunded",
        .subject = "order " + sale::to_text(no),
        .after = {{"amount_fen", what.amount.value > 0 ? boost::json::value(what.amount.value)
                                                       : boost::json::value("all")},
                  {"reason", what.reason}}};
    auto answer =
        start_refund(no, std::nullopt,
                     {.amount = what.amount,
                      .reason = what.reason,
                      .cause = ledger::refund_cause::admin,
                      .by = admin.who,
                      .line = line_for({admin.who, admin.address, world_.clock.now()}, done)});
    if (answer && answer->step == checkout_step::under_way)
        log_act(admin.who, done.action, done.subject);
    return answer;
}

result<checkout_answer> checkout::start_refund(sale::order_no no,
                                               std::optional<sale::user_id> owner,
                                               const ledger::refund_wish& wish) {
    const auto moved = world_.moves.ask_refund(no, owner, wish, world_.clock.now());
    if (!moved) return moved.error();
    if (moved->why_not == ledger::obstacle::too_much) return too_much(moved->order);
    if (!moved->moved) return not_moved(*moved);
    world_.settlement.settle(*moved);
    return under_way(moved->order);
}

result<checkout_answer> checkout::too_much(const sale::order& order) {
    const auto known = world_.moves.find(order.no);
    if (!known) return known.error();
    const pay::channel* const channel = world_.channels.find(known->paid_with);
    const sale::fen paid = channel ? channel->price_of(order).money : order.amount;
    return checkout_answer{.step = checkout_step::too_much,
                           .order = order,
                           .left = {paid.value - order.refunded.value}};
}

result<checkout_step> checkout::notified(sale::order_no no, std::string_view method,
                                         pay::trade trade) {
    switch (trade) {
    case pay::trade::paid: return step_of(take_money(no, method, {}));
    case pay::trade::absent:
    case pay::trade::closed: return step_of(close(no, method, {}));
    case pay::trade::open:
    case pay::trade::unsure: break;
    }
    return checkout_step::no_effect;
}

result<inquiry> checkout::inquire(const ledger::open_question& q) {
    const pay::call_recording recorded;
    const heard answer = hear(world_.channels.find(q.method), q);
    auto made = attempts_of(recorded, {q.order.no, q.method, q.refund.number});
    switch (answer.said) {
    case word::paid: return inquiry_after(take_money(q.order.no, q.method, made));
    case word::closed: return inquiry_after(close(q.order.no, q.method, made));
    case word::refunded: return inquiry_after(finish_refund(q.refund, made));
    case word::waiting: return inquiry{inquiry_outcome::waiting, answer.note, std::move(made)};
    case word::unsure: break;
    }
    return inquiry{inquiry_outcome::unsure, answer.note, std::move(made)};
}

// Money that came late or twice is refunded: the payment inquiries find the refund at their next
// step.
result<checkout_answer> checkout::take_money(sale::order_no no, std::string_view method,
                                             calls made) {
    const auto moved = world_.moves.pay(no, std::string(method), world_.clock.now(), made);
    if (!moved) return moved.error();
    if (!moved->moved) return no_effect(moved->order);
    if (moved->money == ledger::money_fate::taken) {
        world_.settlement.settle(*moved);
        return done(moved->order);
    }
    const bool late = moved->money == ledger::money_fate::late;
    log::warning(late ? "shop.late_money_noted" : "shop.paid_twice_noted", "order",
                 sale::to_text(no), "method", method);
    return under_way(moved->order);
}

result<checkout_answer> checkout::close(sale::order_no no, std::string_view method, calls made) {
    const auto moved = world_.moves.close(no, std::string(method), world_.clock.now(), made);
    if (!moved) return moved.error();
    if (!moved->moved) return no_effect(moved->order);
    // When only a trade was closed, the order itself has no news.
    if (moved->event != 0) world_.settlement.settle(*moved);
    return done(moved->order);
}

result<checkout_answer> checkout::finish_refund(const ledger::refund& r, calls made) {
    const auto moved = world_.moves.finish_refund(r.order, r.number, world_.clock.now(), made);
    if (!moved) return moved.error();
    if (!moved->moved) return no_effect(moved->order);
    // When extra money is back, the order itself has no news.
    if (moved->event != 0) world_.settlement.settle(*moved);
    return done(moved->order);
}

}  // namespace floodgate::shop
