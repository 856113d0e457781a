// Admins' handlers for promises that could not be entered.

#include <limits>
#include <utility>

#include "api/admin_desk.hpp"
#include "api/failure.hpp"
#include "api/json_body.hpp"
#include "api/operations_api.hpp"
#include "api/paging.hpp"
#include "sale/order_number.hpp"

namespace floodgate::api {
namespace {

constexpr std::size_t reason_bytes_max = 200;

boost::json::object to_json(const ledger::letter& l) {
    const sale::promise& p = l.promise;
    boost::json::object out{{"id", l.id},
                            {"state", to_text(l.state)},
                            {"cause", l.cause},
                            {"attempts", l.attempts},
                            {"first_at", to_iso(l.first_at)},
                            {"last_at", to_iso(l.last_at)},
                            {"promise",
                             {{"order_no", sale::to_text(p.order)},
                              {"sale_id", p.sale.value},
                              {"buyer_id", p.buyer.value},
                              {"quantity", p.quantity},
                              {"unit_price_fen", p.unit_price.value},
                              {"unit_points", p.unit_points.value},
                              {"at", to_iso(p.at)}}}};
    if (l.state == ledger::letter_state::waiting) out["next_try"] = to_iso(l.next_try);
    if (l.decided_by.value != 0) out["decided_by"] = l.decided_by.value;
    if (!l.note.empty()) out["note"] = l.note;
    return out;
}

reply refuse_decision(services& with, const call& c, const boost::system::error_code& why) {
    if (why == make_error_code(errc::conflict)) {
        const auto now = with.ledger.letters().find(c.ids.at(0));
        const char* state = now ? to_text(now->state) : "decided";
        return failure_reply(
            why, c.language,
            {{"detail", std::string("the letter is ") + state + " already"}, {"state", state}});
    }
    if (why == make_error_code(errc::rejected))
        return problem_reply(problem::conflict, c.language,
                             {{"detail", "the ledger still does not take it; see the log"}});
    return failure_reply(why, c.language);
}

reply letter_now(services& with, const call& c, const char* outcome,
                 const std::string& reason = {}) {
    const auto l = with.ledger.letters().find(c.ids.at(0));
    if (!l) return failure_reply(l.error(), c.language);
    boost::json::object out{{"letter", to_json(*l)}, {"outcome", outcome}};
    if (!reason.empty()) out["reason"] = reason;
    return json_reply(200, out);
}

}  // namespace

reply list_letters(services& with, const call& c) {
    constexpr page_rule pages{"letters", "before", 500, 50};
    std::optional<ledger::letter_state> state;
    if (const auto word = query_value(c, "state")) {
        state = ledger::parse_letter_state(*word);
        if (!state)
            return problem_reply(problem::bad_request, c.language,
                                 {{"detail", "state must be waiting, dead, replayed or discarded"},
                                  {"field", "state"}});
    }
    constexpr bounds ids{1, std::numeric_limits<std::int64_t>::max()};
    const auto of = query_number(c, "sale_id", ids, 0);
    if (!of) return bad_query(c, "sale_id", ids);
    return page_reply(
        c, pages,
        [&](std::int64_t before, std::size_t count) {
            return with.ledger.letters().list(state, before, count, {*of});
        },
        [](const ledger::letter& l) { return to_json(l); },
        [](const ledger::letter& l) { return l.id; });
}

reply get_letter(services& with, const call& c) {
    const auto l = with.ledger.letters().find(c.ids.at(0));
    if (!l) return failure_reply(l.error(), c.language);
    return json_reply(200, to_json(*l));
}

reply replay_letter(services& with, const call& c) {
    if (auto refusal = refusal_of_body(c)) return *std::move(refusal);
    const auto done = with.letters.replay(c.ids.at(0), admin_of(c));
    if (!done) return refuse_decision(with, c, done.error());
    return letter_now(with, c, shop::outcome_of(*done),
                      done->refused > 0 ? done->orders.front().reason : "");
}

reply discard_letter(services& with, const call& c) {
    json_body body(c.body);
    const std::string reason = body.text("reason", {.min = 1, .max = reason_bytes_max});
    if (const auto fault = body.finish()) return refuse(*fault, c.language);
    const auto done = with.letters.discard(c.ids.at(0), reason, admin_of(c));
    if (!done) return refuse_decision(with, c, done.error());
    return letter_now(with, c, "discarded");
}

}  // namespace floodgate::api
