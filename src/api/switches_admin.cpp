// Admins' handlers for the switches.

#include "api/admin_desk.hpp"
#include "api/failure.hpp"
#include "api/json_body.hpp"
#include "api/operations_api.hpp"

namespace floodgate::api {
namespace {

boost::json::object positions(const ledger::switches& s) {
    return {{"logins", s.logins},
            {"registration", s.registration},
            {"refunds", s.refunds},
            {"sales", s.sales}};
}

boost::json::object to_json(const ledger::switches& s) {
    boost::json::object out = positions(s);
    out["reason"] = s.reason;
    if (s.changed_at != instant{}) {
        out["changed_at"] = to_iso(s.changed_at);
        out["changed_by"] = s.changed_by.value;
    }
    return out;
}

}  // namespace

reply get_switches(services& with, const call& c) {
    const auto now = with.ledger.switches().read();
    if (!now) return failure_reply(now.error(), c.language);
    return json_reply(200, to_json(*now));
}

reply change_switches(services& with, const call& c) {
    json_body body(c.body);
    ledger::switch_change to{.logins = body.optional_boolean("logins"),
                             .registration = body.optional_boolean("registration"),
                             .refunds = body.optional_boolean("refunds"),
                             .sales = body.optional_boolean("sales")};
    to.reason = body.text("reason", {.min = 1, .max = ledger::switch_reason_bytes_max});
    to.who = c.user;
    to.at = c.now;
    if (const auto fault = body.finish()) return refuse(*fault, c.language);
    const auto line = [&](const ledger::switch_book::changed& done) {
        return line_for(c, {.action = "switches.changed",
                            .subject = "switches",
                            .before = positions(done.before),
                            .after = positions(done.after),
                            .why = to.reason});
    };
    const auto now = with.switches.change(to, line);
    if (!now) return failure_reply(now.error(), c.language);
    shop::log_act(c.user, "switches.changed", "switches");
    return json_reply(200, to_json(*now));
}

}  // namespace floodgate::api
