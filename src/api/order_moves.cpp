// A buyer's handlers for the life of an order: cancel, pay, refund.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/admin_desk.hpp"
#include "api/failure.hpp"
#include "api/json_body.hpp"
#include "api/order_api.hpp"
#include "api/order_json.hpp"

namespace floodgate::api {
namespace {

using shop::checkout_answer;
using shop::checkout_step;

constexpr std::int64_t queued_retry_ms = 500;
constexpr std::size_t method_bytes_max = 12;
constexpr std::size_t act_text_bytes_max = 200;

reply still_queued(const call& c) {
    return problem_reply(problem::conflict, c.language,
                         {{"detail", "the order is still being entered"},
                          {"order_status", sale::to_text(sale::order_state::queued)},
                          {"retry_after_ms", queued_retry_ms}});
}

std::string why_not(const checkout_answer& a) {
    if (a.step == checkout_step::too_late)
        return a.order.state == sale::order_state::unpaid ? "the time to pay is over"
                                                          : "the time to give it back is over";
    if (!a.order.closing.empty()) return "the order is being closed";
    return fmt::format("the order is {}", sale::to_text(a.order.state));
}

reply wrong_state(const call& c, const checkout_answer& a) {
    return problem_reply(problem::conflict, c.language,
                         {{"detail", why_not(a)}, {"order_status", sale::to_text(a.order.state)}});
}

// The answer to a payment that was not begun, or could not be.
reply not_paid(const call& c, const checkout_answer& a) {
    const bool has_points = a.order.amount_points.value > 0;
    switch (a.step) {
    case checkout_step::no_price:
        return problem_reply(problem::invalid, c.language,
                             {{"detail", has_points ? "the order is to be paid in points"
                                                    : "the order has no price in points"},
                              {"field", "method"}});
    case checkout_step::not_enough:
        return problem_reply(
            problem::not_enough_points, c.language,
            {{"detail", fmt::format("the order costs {} points", a.order.amount_points.value)},
             {"order_status", sale::to_text(a.order.state)}});
    case checkout_step::too_much:
        return problem_reply(
            problem::invalid, c.language,
            {{"detail", a.left.value > 0
                            ? fmt::format("at most {} fen can be given back", a.left.value)
                            : "the order was paid in points, which go back only all together"},
             {"field", "amount_fen"}});
    default: return wrong_state(c, a);
    }
}

struct refund_rule {
    std::size_t reason_bytes_min = 0;
};
shop::checkout::refund_request refund_in(json_body& body, refund_rule rule) {
    constexpr std::int64_t most = 1'000'000'000'000;
    const text_rule reason{.min = rule.reason_bytes_min, .max = ledger::refund_reason_bytes_max};
    return {.amount = {body.optional_integer("amount_fen", {1, most}).value_or(0)},
            .reason = rule.reason_bytes_min > 0
                          ? body.text("reason", reason)
                          : body.optional_text("reason", reason).value_or("")};
}

reply refuse_method(services& with, const call& c) {
    const auto methods = with.checkout.methods();
    const std::string all =
        methods.empty() ? "none is open" : fmt::format("{}", fmt::join(methods, ", "));
    return problem_reply(
        problem::invalid, c.language,
        {{"detail", "no such way to pay; there are: " + all}, {"field", "method"}});
}

// `act` gets the order's number and gives a result<checkout_answer>; `answer` makes the reply when
// it had an effect.
template <class Act, class Answer>
reply move_order(services& with, const call& c, Act act, Answer answer) {
    const sale::order_no no{static_cast<std::uint64_t>(c.ids.at(0))};
    if (with.orders.is_queued(c.user, no)) return still_queued(c);
    const result<checkout_answer> done = act(no);
    if (!done) {
        // An order that the ledger does not have may still be in flight.
        if (done.error() == make_error_code(errc::not_found) && with.orders.is_promised(c.user, no))
            return still_queued(c);
        return failure_reply(done.error(), c.language);
    }
    const bool effect = done->step == checkout_step::done || done->step == checkout_step::under_way;
    return effect ? answer(*done) : not_paid(c, *done);
}

// 200: it is done. 202: the channel decides.
auto order_reply(const services& with) {
    return [&with](const checkout_answer& a) {
        return json_reply(a.step == checkout_step::done ? 200 : 202,
                          to_json(a.order, with.showcase));
    };
}

// What the method needs, and nothing else.
reply payment_reply(const services& with, const checkout_answer& a, const std::string& method) {
    boost::json::object out{{"method", method},
                            {"out_trade_no", pay::trade_number(a.order)},
                            {"expires_at", to_iso(a.order.pay_by)},
                            {"order", to_json(a.order, with.showcase)}};
    if (a.step == checkout_step::done) out["paid"] = true;
    if (!a.to_pay.redirect.empty()) out["redirect"] = a.to_pay.redirect;
    if (!a.to_pay.form.empty()) out["form"] = a.to_pay.form;
    if (!a.to_pay.code_url.empty()) out["code_url"] = a.to_pay.code_url;
    return json_reply(200, out);
}

}  // namespace

reply cancel_order(services& with, const call& c) {
    if (auto refusal = refusal_of_body(c)) return *std::move(refusal);
    const auto cancel = [&](sale::order_no no) { return with.checkout.cancel(no, c.user); };
    return move_order(with, c, cancel, order_reply(with));
}

reply pay_order(services& with, const call& c) {
    json_body body(c.body);
    const std::string method = body.text("method", {.min = 1, .max = method_bytes_max});
    if (const auto fault = body.finish()) return refuse(*fault, c.language);
    if (!with.checkout.accepts(method)) return refuse_method(with, c);
    const auto begin = [&](sale::order_no no) { return with.checkout.begin(no, c.user, method); };
    return move_order(with, c, begin,
                      [&](const checkout_answer& a) { return payment_reply(with, a, method); });
}

reply refund_order(services& with, const call& c) {
    json_body body(c.body);
    const auto what = refund_in(body, {});
    if (const auto fault = body.finish()) return refuse(*fault, c.language);
    if (!with.switches.refunds()) return problem_reply(problem::switched_off, c.language);
    const auto refund = [&](sale::order_no no) {
        return with.checkout.ask_refund(no, c.user, what);
    };
    return move_order(with, c, refund, order_reply(with));
}

reply refund_order_as_admin(services& with, const call& c) {
    json_body body(c.body);
    const auto what = refund_in(body, {.reason_bytes_min = 1});
    if (const auto fault = body.finish()) return refuse(*fault, c.language);
    const auto refund = [&](sale::order_no no) {
        return with.checkout.refund(no, admin_of(c), what);
    };
    return move_order(with, c, refund, order_reply(with));
}

reply cancel_order_as_admin(services& with, const call& c) {
    json_body body(c.body);
    const std::string why = body.text("reason", {.min = 1, .max = act_text_bytes_max});
    if (const auto fault = body.finish()) return refuse(*fault, c.language);
    const auto cancel = [&](sale::order_no no) {
        return with.checkout.cancel(no, admin_of(c), why);
    };
    return move_order(with, c, cancel, order_reply(with));
}

reply mark_order_paid(services& with, const call& c) {
    json_body body(c.body);
    shop::checkout::payment_seen what;
    what.reason = body.text("reason", {.min = 1, .max = act_text_bytes_max});
    what.reference = body.text("reference", {.min = 1, .max = act_text_bytes_max});
    if (const auto fault = body.finish()) return refuse(*fault, c.language);
    const auto mark = [&](sale::order_no no) {
        return with.checkout.mark_paid(no, admin_of(c), what);
    };
    return move_order(with, c, mark, order_reply(with));
}

reply settle_refund_by_hand(services& with, const call& c) {
    json_body body(c.body);
    const std::string number = body.text("refund_no", {.min = 1, .max = 40});
    const std::string why = body.text("reason", {.min = 1, .max = act_text_bytes_max});
    if (const auto fault = body.finish()) return refuse(*fault, c.language);
    const auto settle = [&](sale::order_no no) {
        return with.checkout.settle_refund(no, admin_of(c), number, why);
    };
    return move_order(with, c, settle, order_reply(with));
}

}  // namespace floodgate::api
