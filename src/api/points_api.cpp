#include "api/points_api.hpp"

#include <fmt/format.h>

#include <utility>

#include "api/admin_desk.hpp"
#include "api/json_body.hpp"
#include "api/paging.hpp"
#include "sale/order_number.hpp"

namespace floodgate::api {
namespace {

constexpr page_rule account_pages{"lines", "before", 100, 20};
static_assert(account_pages.limit_max < static_cast<std::int64_t>(points::page_max),
              "one line more is read than shown");

reply no_points(const call& c) {
    return problem_reply(problem::not_found, c.language, {{"detail", "this shop has no points"}});
}

boost::json::object to_json(const points::balance& b) {
    return {{"available", b.available.value},
            {"reserved", b.reserved.value},
            {"pending", b.pending.value}};
}

boost::json::object to_json(const points::log_line& l, bool with_admin) {
    boost::json::object out = to_json(l.after);
    out["line"] = l.line;
    out["event"] = points::to_text(l.what);
    out["change"] = l.after.available.value - l.before.available.value;
    out["at"] = to_iso(l.at);
    if (l.order.value != 0) out["order_no"] = sale::to_text(l.order);
    if (!l.reason.empty()) out["reason"] = l.reason;
    if (with_admin && l.by.value != 0) out["by"] = l.by.value;
    return out;
}

// The balance and a page of its history are read one after the other: a change in between is in one
// of them only.
reply account_reply(services& with, const call& c, sale::user_id user, const page_asked& asked) {
    const auto has = with.points->balance_of(user);
    if (!has) return failure_reply(has.error(), c.language);
    const auto found = with.points->history(user, asked.from, asked.limit + 1);
    if (!found) return failure_reply(found.error(), c.language);
    boost::json::object out = to_json(*has);
    boost::json::array lines;
    boost::json::value next;
    for (const points::log_line& l : *found) {
        if (lines.size() < asked.limit)
            lines.push_back(to_json(l, c.role == sale::role::admin));
        else
            next = (*found)[asked.limit - 1].line;
    }
    out["lines"] = std::move(lines);
    out["next_before"] = std::move(next);
    return json_reply(200, out);
}

reply show_account(services& with, const call& c, sale::user_id user) {
    reply refusal;
    const auto asked = read_page(c, account_pages, refusal);
    if (!asked) return refusal;
    return account_reply(with, c, user, *asked);
}

reply refuse_grant(services& with, const call& c, const boost::system::error_code& why,
                   const points::grant_request& what) {
    if (why == make_error_code(errc::already_exists))
        return failure_reply(
            why, c.language,
            {{"detail", "this request was used for another grant"}, {"field", "request"}});
    if (why == make_error_code(errc::invalid))
        return failure_reply(
            why, c.language,
            {{"detail",
              "reason must be one line of text, request printable ASCII without blanks"}});
    if (why != make_error_code(errc::conflict)) return failure_reply(why, c.language);
    std::string detail = "the account would hold too many points";
    if (what.amount.value < 0) {
        const auto has = with.points->balance_of(what.user);
        detail = has ? fmt::format("only {} points are available", has->available.value)
                     : "fewer points are available";
    }
    return failure_reply(why, c.language, {{"detail", detail}, {"field", "amount"}});
}

}  // namespace

reply my_points(services& with, const call& c) {
    return with.points ? show_account(with, c, c.user) : no_points(c);
}

reply get_points(services& with, const call& c) {
    if (!with.points) return no_points(c);
    const auto user = with.ledger.users().find(sale::user_id{c.ids.at(0)});
    if (!user) return failure_reply(user.error(), c.language);
    return show_account(with, c, user->id);
}

// The grant and its audit line are in two databases. The grant is made first, because it may be
// refused. If the audit line fails afterwards, the admin is told to come again (503): the repeated
// request gives no points and writes the line. If the admin does not, the account's own log still
// has who gave the points and why. A request repeated after it succeeded writes one more line with
// the same number.
reply grant_points(services& with, const call& c) {
    if (!with.points) return no_points(c);
    json_body body(c.body);
    const points::grant_request what{
        .user = {c.ids.at(0)},
        .amount = {body.integer("amount", {-points::amount_max.value, points::amount_max.value})},
        .reason = body.text("reason", {.min = 1, .max = points::reason_bytes_max}),
        .by = c.user,
        .request = body.text("request", {.min = 1, .max = points::key_bytes_max})};
    if (const auto fault = body.finish()) return refuse(*fault, c.language);
    if (what.amount.value == 0)
        return problem_reply(problem::invalid, c.language,
                             {{"detail", "amount must not be 0"}, {"field", "amount"}});
    const auto user = with.ledger.users().find(what.user);
    if (!user) return failure_reply(user.error(), c.language);

    const auto granted = with.points->grant(what, c.now);
    if (!granted) return refuse_grant(with, c, granted.error(), what);
    const shop::act done{
        .action = "points.granted",
        .subject = subject_of("user", what.user.value),
        .after = {
            {"amount", what.amount.value}, {"reason", what.reason}, {"request", what.request}}};
    const auto noted = with.ledger.audit().add(line_for(c, done));
    if (!noted) return failure_reply(noted.error(), c.language);
    shop::log_act(c.user, done.action, done.subject);
    return account_reply(with, c, what.user,
                         {.limit = static_cast<std::size_t>(account_pages.limit_usual), .from = 0});
}

}  // namespace floodgate::api
