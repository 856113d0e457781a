// Admins' handlers for rounds.

#include <boost/json/array.hpp>

#include <utility>

#include "api/admin_api.hpp"
#include "api/admin_desk.hpp"
#include "api/catalogue_json.hpp"
#include "api/failure.hpp"
#include "api/json_body.hpp"
#include "base/log.hpp"

namespace floodgate::api {
namespace {

result<sale::round> find_round(services& with, sale::round_id id) {
    auto rounds = with.ledger.catalogue().rounds();
    if (!rounds) return rounds.error();
    for (sale::round& r : *rounds)
        if (r.id == id) return std::move(r);
    return make_error_code(errc::not_found);
}

void read_round(json_body& body, sale::round& r) {
    constexpr text_rule title{.min = 1, .max = sale::title_bytes_max};
    r.title = body.optional_text("title", title).value_or(r.title);
    r.starts_at = body.optional_time("starts_at").value_or(r.starts_at);
    r.ends_at = body.optional_time("ends_at").value_or(r.ends_at);
}

std::optional<reply> refusal_of_window(const sale::round& r, const call& c) {
    if (r.starts_at < r.ends_at) return std::nullopt;
    return problem_reply(
        problem::invalid, c.language,
        {{"detail", "ends_at must be later than starts_at"}, {"field", "ends_at"}});
}

// The gate has to know the new window before anybody else asks it.
result<void> warm_up_sales_of(services& with, sale::round_id round) {
    const auto sales = with.ledger.catalogue().sales();
    if (!sales) return sales.error();
    for (const sale::sale& s : *sales) {
        if (s.round != round) continue;
        if (const auto told = tell_gate(with, s); !told) return told.error();
    }
    return {};
}

}  // namespace

reply list_rounds(services& with, const call& c) {
    const auto rounds = with.ledger.catalogue().rounds();
    if (!rounds) return failure_reply(rounds.error(), c.language);
    boost::json::array out;
    for (const sale::round& r : *rounds) out.push_back(to_json(r));
    return json_reply(200, {{"rounds", std::move(out)}});
}

reply get_round(services& with, const call& c) {
    const auto r = find_round(with, {c.ids.at(0)});
    if (!r) return failure_reply(r.error(), c.language);
    return json_reply(200, to_json(*r));
}

reply create_round(services& with, const call& c) {
    json_body body(c.body);
    sale::round r;
    body.require({"title", "starts_at", "ends_at"});
    read_round(body, r);
    if (const auto fault = body.finish()) return refuse(*fault, c.language);
    if (auto refusal = refusal_of_window(r, c)) return *std::move(refusal);

    const std::lock_guard one_at_a_time(with.catalogue_mutex);
    const auto id = with.ledger.catalogue().add_round(r);
    if (!id) return failure_reply(id.error(), c.language);
    r.id = *id;
    audit(with, c, {"round.created", subject_of("round", id->value), {}, to_json(r)});
    show(with);
    return created("/api/v1/admin/rounds/" + std::to_string(id->value), to_json(r));
}

reply update_round(services& with, const call& c) {
    const std::lock_guard one_at_a_time(with.catalogue_mutex);
    const auto old = find_round(with, {c.ids.at(0)});
    if (!old) return failure_reply(old.error(), c.language);
    json_body body(c.body);
    sale::round r = *old;
    read_round(body, r);
    if (const auto fault = body.finish()) return refuse(*fault, c.language);
    if (auto refusal = refusal_of_window(r, c)) return *std::move(refusal);

    if (const auto done = with.ledger.catalogue().update_round(r); !done)
        return failure_reply(done.error(), c.language);
    const auto warmed = warm_up_sales_of(with, r.id);
    audit(with, c, {"round.changed", subject_of("round", r.id.value), to_json(*old), to_json(r)});
    show(with);
    if (!warmed) {
        log::error("edge.gate_not_told", "round", r.id.value, "reason", warmed.error().message());
        return failure_reply(warmed.error(), c.language);
    }
    return json_reply(200, to_json(r));
}

}  // namespace floodgate::api
