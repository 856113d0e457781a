// Admins' handlers for the stock of a sale, and the buyers who give it back.

#include <boost/json/array.hpp>

#include <fmt/format.h>

#include <utility>

#include "api/admin_api.hpp"
#include "api/admin_desk.hpp"
#include "api/failure.hpp"
#include "api/json_body.hpp"
#include "api/paging.hpp"
#include "api/query.hpp"
#include "shop/catalogue_json.hpp"

namespace floodgate::api {
namespace {

constexpr std::size_t note_bytes_max = 200;

// How many units may be removed, by the stricter of gate and ledger.
std::int64_t free_units(services& with, sale::sale_id id) {
    if (const auto standing = with.turnstile.look_up(id)) return standing->stock - standing->taken;
    const auto f = with.ledger.catalogue().find_figures(id);
    return f ? f->stock - f->held : 0;
}

reply stock_refused(services& with, const call& c, sale::sale_id id,
                    const boost::system::error_code& why) {
    if (why == make_error_code(errc::conflict)) {
        const std::int64_t free = free_units(with, id);
        return failure_reply(
            why, c.language,
            {{"detail", fmt::format("only {} units are free", free)}, {"free", free}});
    }
    if (why == make_error_code(errc::invalid)) {
        return failure_reply(
            why, c.language,
            {{"detail", fmt::format("the stock must be from 0 to {}", sale::stock_max)},
             {"field", "delta"}});
    }
    return failure_reply(why, c.language);
}

boost::json::object to_json(const ledger::stock_move& m) {
    return {{"id", m.id},
            {"kind", m.kind},
            {"stock_before", m.stock_before},
            {"stock_after", m.stock_after},
            {"held_before", m.held_before},
            {"held_after", m.held_after},
            {"note", m.note},
            {"at", to_iso(m.at)}};
}

}  // namespace

reply change_stock(services& with, const call& c) {
    json_body body(c.body);
    const shop::stock_change change{
        .delta = body.integer("delta", {-sale::stock_max, sale::stock_max}),
        .note = body.optional_text("note", {.max = note_bytes_max}).value_or("")};
    if (const auto fault = body.finish()) return refuse(*fault, c.language);
    if (change.delta == 0)
        return problem_reply(problem::invalid, c.language,
                             {{"detail", "delta must not be 0"}, {"field", "delta"}});

    const sale::sale_id id{c.ids.at(0)};
    const auto done = with.desk.change_stock(id, change, admin_of(c));
    if (!done) return stock_refused(with, c, id, done.error());
    if (done->gate) return failure_reply(done->gate, c.language);
    return json_reply(200, shop::to_json(done->sale));
}

reply get_stock_log(services& with, const call& c) {
    constexpr page_rule pages{"moves", "before", 1000, 100};
    const auto s = with.ledger.catalogue().find_sale({c.ids.at(0)});
    if (!s) return failure_reply(s.error(), c.language);
    return page_reply(
        c, pages,
        [&](std::int64_t before, std::size_t limit) {
            return with.ledger.catalogue().stock_log(s->id, limit, before);
        },
        [](const ledger::stock_move& m) { return to_json(m); },
        [](const ledger::stock_move& m) { return m.id; });
}

reply list_returns(services& with, const call& c) {
    constexpr bounds limits{1, 500};
    const auto limit = query_number(c, "limit", limits, 50);
    if (!limit) return bad_query(c, "limit", limits);
    const auto s = with.ledger.catalogue().find_sale({c.ids.at(0)});
    if (!s) return failure_reply(s.error(), c.language);
    const auto found = with.ledger.moves().given_up_most(s->id, static_cast<std::size_t>(*limit));
    if (!found) return failure_reply(found.error(), c.language);
    boost::json::array out;
    for (const ledger::giving_up_buyer& b : *found)
        out.push_back(
            {{"buyer_id", b.buyer.value}, {"times", b.times}, {"last_at", to_iso(b.last)}});
    return json_reply(200, {{"buyers", std::move(out)}});
}

}  // namespace floodgate::api
