// Admins' handlers for a sale's state, and warm-up.

#include <boost/json/array.hpp>

#include <fmt/format.h>

#include <utility>

#include "api/admin_api.hpp"
#include "api/admin_desk.hpp"
#include "api/failure.hpp"
#include "api/json_body.hpp"
#include "shop/catalogue_json.hpp"

namespace floodgate::api {
namespace {

using shop::to_json;

// A conflict says which state the sale is in.
reply state_refused(services& with, const call& c, const boost::system::error_code& why) {
    const auto s = with.ledger.catalogue().find_sale({c.ids.at(0)});
    if (why != make_error_code(errc::conflict) || !s) return failure_reply(why, c.language);
    return failure_reply(why, c.language,
                         {{"detail", fmt::format("the sale is {}", to_text(s->state))},
                          {"state", to_text(s->state)}});
}

using verb_of_state = result<shop::changed_sale> (shop::catalogue_desk::*)(sale::sale_id,
                                                                           const shop::actor&);

// 202 when the gate is closed and the ledger has not followed yet.
reply move_sale(services& with, const call& c, verb_of_state move) {
    if (auto refusal = refusal_of_body(c)) return *std::move(refusal);
    const auto done = (with.desk.*move)({c.ids.at(0)}, admin_of(c));
    if (!done) return state_refused(with, c, done.error());
    if (done->gate) return failure_reply(done->gate, c.language);
    boost::json::object out = to_json(done->sale);
    if (done->book_pending) out["book_pending"] = true;
    return json_reply(done->book_pending ? 202 : 200, out);
}

}  // namespace

reply publish_sale(services& with, const call& c) {
    return move_sale(with, c, &shop::catalogue_desk::publish);
}
reply pause_sale(services& with, const call& c) {
    return move_sale(with, c, &shop::catalogue_desk::pause);
}
reply resume_sale(services& with, const call& c) {
    return move_sale(with, c, &shop::catalogue_desk::resume);
}
reply end_sale(services& with, const call& c) {
    return move_sale(with, c, &shop::catalogue_desk::end);
}

reply warm_up_sale(services& with, const call& c) {
    if (auto refusal = refusal_of_body(c)) return *std::move(refusal);
    const sale::sale_id id{c.ids.at(0)};
    const auto s = with.desk.warm_up(id, admin_of(c));
    if (!s && !with.turnstile.look_up(id)) return state_refused(with, c, s.error());
    if (!s) return failure_reply(s.error(), c.language);
    return json_reply(200, to_json(*s));
}

reply warm_up_all(services& with, const call& c) {
    if (auto refusal = refusal_of_body(c)) return *std::move(refusal);
    const auto done = with.desk.warm_up_all(admin_of(c));
    if (!done && done.error() == make_error_code(errc::conflict))
        return failure_reply(done.error(), c.language, {{"detail", "one is running already"}});
    if (!done) return failure_reply(done.error(), c.language);
    return json_reply(200, {{"sales", to_json(*done)}});
}

reply get_warm_up(services& with, const call&) {
    const shop::warm_up_progress p = with.desk.progress();
    boost::json::object out{
        {"running", p.running}, {"total", p.total}, {"done", p.done}, {"failed", p.failed}};
    if (p.started_at != instant{}) out["started_at"] = to_iso(p.started_at);
    return json_reply(200, out);
}

}  // namespace floodgate::api
