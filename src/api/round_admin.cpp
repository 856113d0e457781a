// Admins' handlers for rounds.

#include <utility>

#include "api/admin_api.hpp"
#include "api/admin_desk.hpp"
#include "api/catalogue_fields.hpp"
#include "api/failure.hpp"
#include "api/json_body.hpp"
#include "api/paging.hpp"
#include "shop/catalogue_json.hpp"

namespace floodgate::api {
namespace {

using shop::to_json;

reply round_refused(const call& c, const boost::system::error_code& why) {
    boost::json::object extra;
    if (why == make_error_code(errc::invalid))
        extra = {{"detail", "ends_at must be later than starts_at"}, {"field", "ends_at"}};
    if (why == make_error_code(errc::already_exists))
        extra = {{"detail", "another round has this external_id"}, {"field", "external_id"}};
    return failure_reply(why, c.language, std::move(extra));
}

reply bad_filter(const call& c, const char* field, const char* detail) {
    return problem_reply(problem::bad_request, c.language, {{"detail", detail}, {"field", field}});
}

// Empty: `refusal` says what is wrong with the query.
std::optional<ledger::round_filter> read_filter(const call& c, reply& refusal) {
    ledger::round_filter f{.external_id = query_value(c, "external_id").value_or("")};
    for (const auto& [name, time] : {std::pair("from", &f.from), std::pair("to", &f.to)}) {
        const auto text = query_value(c, name);
        if (!text) continue;
        *time = parse_iso(*text);
        if (*time) continue;
        refusal = bad_filter(c, name, "from and to must be times like 2026-11-15T10:00:00Z");
        return std::nullopt;
    }
    const auto state = query_value(c, "state");
    if (!state) return f;
    if (*state == "coming") {
        f.before_start_at = c.now;
    } else if (*state == "open") {
        f.open_at = c.now;
    } else if (*state == "over") {
        f.over_at = c.now;
    } else {
        refusal = bad_filter(c, "state", "state must be coming, open or over");
        return std::nullopt;
    }
    return f;
}

}  // namespace

reply list_rounds(services& with, const call& c) {
    constexpr page_rule pages{"rounds", "before", 500, 500};
    reply refusal;
    const auto which = read_filter(c, refusal);
    if (!which) return refusal;
    return page_reply(
        c, pages,
        [&](std::int64_t before, std::size_t limit) {
            return with.ledger.catalogue().rounds({before}, limit, *which);
        },
        [](const sale::round& r) { return to_json(r); },
        [](const sale::round& r) { return r.id.value; });
}

reply get_round(services& with, const call& c) {
    const auto r = with.ledger.catalogue().find_round({c.ids.at(0)});
    if (!r) return failure_reply(r.error(), c.language);
    return json_reply(200, to_json(*r));
}

reply create_round(services& with, const call& c) {
    json_body body(c.body);
    body.require({"title", "starts_at", "ends_at"});
    const sale::round_change given = read_round(body);
    if (const auto fault = body.finish()) return refuse(*fault, c.language);

    const sale::round r = given.applied_to({});
    const auto kept = with.desk.add_round(r, admin_of(c));
    if (!kept) return round_refused(c, kept.error());
    return created("/api/v1/admin/rounds/" + std::to_string(kept->id.value), to_json(*kept));
}

reply update_round(services& with, const call& c) {
    json_body body(c.body);
    const sale::round_change change = read_round(body);
    if (const auto fault = body.finish()) return refuse(*fault, c.language);

    const auto done = with.desk.change_round({c.ids.at(0)}, change, admin_of(c));
    if (!done) return round_refused(c, done.error());
    if (done->gate) return failure_reply(done->gate, c.language);
    return json_reply(200, to_json(done->round));
}

}  // namespace floodgate::api
