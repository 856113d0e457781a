// Admins' handlers for rounds.

#include <utility>

#include "api/admin_api.hpp"
#include "api/admin_desk.hpp"
#include "api/failure.hpp"
#include "api/json_body.hpp"
#include "api/paging.hpp"
#include "shop/catalogue_json.hpp"

namespace floodgate::api {
namespace {

using shop::to_json;

shop::round_change read_round(json_body& body) {
    constexpr text_rule title{.min = 1, .max = sale::title_bytes_max, .name = true};
    return {.title = body.optional_text("title", title),
            .starts_at = body.optional_time("starts_at"),
            .ends_at = body.optional_time("ends_at")};
}

reply round_refused(const call& c, const boost::system::error_code& why) {
    boost::json::object extra;
    if (why == make_error_code(errc::invalid))
        extra = {{"detail", "ends_at must be later than starts_at"}, {"field", "ends_at"}};
    return failure_reply(why, c.language, std::move(extra));
}

}  // namespace

reply list_rounds(services& with, const call& c) {
    constexpr page_rule pages{"rounds", "before", 500, 500};
    return page_reply(
        c, pages,
        [&](std::int64_t before, std::size_t limit) {
            return with.ledger.catalogue().rounds({before}, limit);
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
    const shop::round_change given = read_round(body);
    if (const auto fault = body.finish()) return refuse(*fault, c.language);

    const sale::round r{.id = {},
                        .title = given.title.value_or(""),
                        .starts_at = given.starts_at.value_or(instant{}),
                        .ends_at = given.ends_at.value_or(instant{})};
    const auto kept = with.desk.add_round(r, admin_of(c));
    if (!kept) return round_refused(c, kept.error());
    return created("/api/v1/admin/rounds/" + std::to_string(kept->id.value), to_json(*kept));
}

reply update_round(services& with, const call& c) {
    json_body body(c.body);
    const shop::round_change change = read_round(body);
    if (const auto fault = body.finish()) return refuse(*fault, c.language);

    const auto done = with.desk.change_round({c.ids.at(0)}, change, admin_of(c));
    if (!done) return round_refused(c, done.error());
    if (done->gate) return failure_reply(done->gate, c.language);
    return json_reply(200, to_json(done->round));
}

}  // namespace floodgate::api
