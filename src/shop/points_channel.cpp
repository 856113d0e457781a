#include "shop/points_channel.hpp"

#include "base/log.hpp"
#include "pay/call_recording.hpp"
#include "sale/order_number.hpp"

namespace floodgate::shop {
namespace {

using pay::refund_answer;
using pay::refusal;
using pay::trade;
using points::kind;
using points::try_answer;
using points::try_state;

// Only this error leaves the outcome open; the others are the service's own answers.
pay::call_outcome outcome_of(const std::error_code& e) {
    return e == make_error_code(errc::store_unavailable) ? pay::call_outcome::no_answer
                                                         : pay::call_outcome::refused;
}

}  // namespace

template <class Use>
auto points_channel::ask(const char* asked, Use use) {
    if (where_ == place::here) return use();
    pay::noted_call noted(asked, clock_);
    auto said = use();
    if (said)
        noted.came_to(pay::call_outcome::answered, "");
    else
        noted.came_to(outcome_of(said.error()), said.error().message());
    return said;
}

result<std::optional<refusal>> points_channel::refuses(const sale::order& o) {
    if (o.amount_points.value <= 0) return std::optional(refusal::no_price);
    const auto has = ask("balance", [&] { return accounts_.balance_of(o.buyer); });
    if (!has) return has.error();
    if (has->available >= o.amount_points) return std::nullopt;
    // Perhaps because an earlier call has set the points of this order aside.
    const auto before = ask("query", [&] { return accounts_.state_of(o.no, kind::spend); });
    if (!before) return before.error();
    if (*before) return std::nullopt;
    return std::optional(refusal::not_enough);
}

result<pay::checkout> points_channel::begin(const sale::order& o) {
    const auto tried = ask(
        "begin", [&] { return accounts_.try_spend(o.no, o.buyer, o.amount_points, clock_.now()); });
    if (!tried) return tried.error();
    switch (tried->answer) {
    case try_answer::reserved:
    case try_answer::already: return pay::checkout{.paid = true, .reserved = true};
    case try_answer::not_enough: return pay::checkout{.refused = refusal::not_enough};
    case try_answer::cancelled_before: break;
    }
    return errc::conflict;
}

void points_channel::settled(const sale::order& o) {
    const auto taken =
        ask("confirm", [&] { return accounts_.confirm(o.no, kind::spend, clock_.now()); });
    if (taken) return;
    log::warning("shop.points_not_taken_yet", "order", sale::to_text(o.no), "reason",
                 taken.error().message());
}

trade points_channel::query(const sale::order& o) {
    const auto state = ask("query", [&] { return accounts_.state_of(o.no, kind::spend); });
    if (!state) return trade::unsure;
    if (!*state) return trade::open;
    switch (**state) {
    case try_state::open: return trade::open;
    case try_state::confirmed: return trade::paid;
    case try_state::cancelled: return trade::closed;
    }
    return trade::unsure;
}

trade points_channel::close(const sale::order& o) {
    const auto given_up =
        ask("close", [&] { return accounts_.cancel(o.no, kind::spend, clock_.now()); });
    if (given_up) return trade::closed;
    return given_up.error() == make_error_code(errc::conflict) ? trade::paid : trade::unsure;
}

refund_answer points_channel::refund(const sale::order& o, const pay::refund_request& r) {
    const bool late = o.state == sale::order_state::closed || o.state == sale::order_state::failed;
    if (late) {  // its points must not be taken first
        const trade after = close(o);
        if (after == trade::paid) return give_back(o, r);
        return after == trade::closed ? refund_answer::done : refund_answer::unsure;
    }
    const auto taken =
        ask("confirm", [&] { return accounts_.confirm(o.no, kind::spend, clock_.now()); });
    if (taken) return give_back(o, r);
    const bool nothing_to_take = taken.error() == make_error_code(errc::not_found) ||
                                 taken.error() == make_error_code(errc::conflict);
    if (!nothing_to_take) return refund_answer::unsure;
    log::error("shop.points_were_not_taken", "order", sale::to_text(o.no), "reason",
               taken.error().message());
    return refund_answer::done;
}

refund_answer points_channel::give_back(const sale::order& o, const pay::refund_request& r) {
    const auto back = ask("refund", [&] {
        return accounts_.give_back({o.no, o.buyer, r.amount_points, r.number}, clock_.now());
    });
    if (back) return refund_answer::done;
    if (back.error() != make_error_code(errc::store_unavailable))
        log::error("shop.points_not_given_back", "order", sale::to_text(o.no), "reason",
                   back.error().message());
    return refund_answer::unsure;
}

}  // namespace floodgate::shop
