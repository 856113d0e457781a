// A buyer's handlers for the life of an order: cancel, pay, refund.

#include <fmt/format.h>

#include <algorithm>

#include "api/failure.hpp"
#include "api/json_body.hpp"
#include "api/order_api.hpp"
#include "api/order_json.hpp"
#include "base/log.hpp"
#include "sale/order_number.hpp"

namespace floodgate::api {
namespace {

constexpr std::int64_t queued_retry_ms = 500;
constexpr std::size_t method_bytes_max = 12;

sale::order_no number_in(const call& c) { return {static_cast<std::uint64_t>(c.ids.at(0))}; }

bool is_queued(services& with, const call& c) {
    const auto promised = with.turnstile.promised_to(c.user);
    return std::ranges::any_of(promised, [&](const auto& p) { return p.order == number_in(c); });
}

reply still_queued(const call& c) {
    return problem_reply(problem::conflict, c.language,
                         {{"detail", "the order is still being entered"},
                          {"order_status", sale::to_text(sale::order_state::queued)},
                          {"retry_after_ms", queued_retry_ms}});
}

// Above the newest entry there is nothing to move yet, and nobody needs to wait for a ledger that
// is busy or locked to hear so.
bool is_above_the_newest_entry(services& with, const call& c) {
    return number_in(c) > with.recent.newest_entered() && is_queued(with, c);
}

// Why the ledger could not do it. An order it does not have may be on its way there.
reply refuse_move(services& with, const call& c, const boost::system::error_code& why) {
    if (why == make_error_code(errc::not_found) && is_queued(with, c)) return still_queued(c);
    return failure_reply(why, c.language);
}

reply wrong_state(const call& c, const sale::order& o, std::string detail = {}) {
    if (detail.empty())
        detail = o.closing.empty() ? fmt::format("the order is {}", sale::to_text(o.state))
                                   : "the order is being closed";
    return problem_reply(problem::conflict, c.language,
                         {{"detail", std::move(detail)}, {"order_status", sale::to_text(o.state)}});
}

std::optional<reply> refusal_of_body(const call& c) {
    json_body body(c.body);
    if (const auto fault = body.finish()) return refuse(*fault, c.language);
    return std::nullopt;
}

std::string methods_of(const pay::channels& all) {
    std::string out;
    for (const auto& channel : all.all())
        out += (out.empty() ? "" : ", ") + std::string(channel->method());
    return out.empty() ? "none is open" : out;
}

reply refuse_method(services& with, const call& c) {
    return problem_reply(
        problem::invalid, c.language,
        {{"detail", fmt::format("no such way to pay; there are: {}", methods_of(with.channels))},
         {"field", "method"}});
}

// The money is there. Should the book fail now, the clerk asks the channel when the order is due.
reply book_payment(services& with, const call& c, sale::order_no no) {
    const auto paid = with.ledger.moves().pay(no, c.now);
    if (!paid) return failure_reply(paid.error(), c.language);
    if (!paid->moved && paid->order.state != sale::order_state::paid)
        return wrong_state(c, paid->order);
    with.clerk.settle(*paid);
    return json_reply(200, {{"order", to_json(paid->order)}});
}

}  // namespace

reply cancel_order(services& with, const call& c) {
    if (auto refusal = refusal_of_body(c)) return *std::move(refusal);
    if (is_above_the_newest_entry(with, c)) return still_queued(c);
    const auto done = with.ledger.moves().cancel(number_in(c), c.user, c.now);
    if (!done) return refuse_move(with, c, done.error());
    if (!done->moved) return wrong_state(c, done->order);
    with.clerk.settle(*done);
    if (done->order.closing.empty()) return json_reply(200, to_json(done->order));
    with.clerk.ask_channels();
    return json_reply(202, to_json(done->order));
}

reply pay_order(services& with, const call& c) {
    json_body body(c.body);
    const std::string method = body.text("method", {.min = 1, .max = method_bytes_max});
    if (const auto fault = body.finish()) return refuse(*fault, c.language);
    pay::channel* const channel = with.channels.find(method);
    if (!channel) return refuse_method(with, c);
    if (is_above_the_newest_entry(with, c)) return still_queued(c);

    // The book first: from now on the order is not closed without asking this channel.
    const auto begun = with.ledger.moves().begin_payment(number_in(c), c.user, method, c.now);
    if (!begun) return refuse_move(with, c, begun.error());
    if (!begun->moved) {
        const bool late = begun->order.state == sale::order_state::unpaid &&
                          begun->order.closing.empty() && c.now >= begun->order.pay_by;
        return wrong_state(c, begun->order, late ? "the time to pay is over" : "");
    }
    const auto checkout = channel->begin(begun->order);
    if (!checkout) return failure_reply(checkout.error(), c.language);
    if (checkout->paid) return book_payment(with, c, begun->order.no);
    return json_reply(200, {{"order", to_json(begun->order)}, {"redirect", checkout->redirect}});
}

reply refund_order(services& with, const call& c) {
    if (auto refusal = refusal_of_body(c)) return *std::move(refusal);
    if (is_above_the_newest_entry(with, c)) return still_queued(c);
    const auto done = with.ledger.moves().ask_refund(number_in(c), c.user, c.now);
    if (!done) return refuse_move(with, c, done.error());
    if (!done->moved) return wrong_state(c, done->order);
    with.clerk.settle(*done);
    with.clerk.ask_channels();
    return json_reply(202, to_json(done->order));
}

}  // namespace floodgate::api
