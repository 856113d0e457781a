// Admins' handlers for the stock of a sale.

#include <boost/json/array.hpp>

#include <fmt/format.h>

#include <utility>

#include "api/admin_api.hpp"
#include "api/admin_desk.hpp"
#include "api/catalogue_json.hpp"
#include "api/failure.hpp"
#include "api/json_body.hpp"
#include "api/query.hpp"
#include "base/log.hpp"

namespace floodgate::api {
namespace {

constexpr std::size_t note_bytes_max = 200;

struct stock_change {
    std::int64_t delta = 0;
    std::string note;
    instant at;
};

result<std::int64_t> book(services& with, const sale::sale& s, const stock_change& change) {
    return with.ledger.catalogue().change_stock(s.id, change.delta, change.note, change.at);
}

// The ledger first: a unit the gate gave away before would have no stock behind it.
result<std::int64_t> add_units(services& with, const sale::sale& s, const stock_change& change) {
    const auto total = book(with, s, change);
    if (!total) return total;
    if (const auto told = tell_gate_of_change(with, s.id); !told) return told.error();
    return total;
}

// The gate first: it knows what was promised and is not in the ledger yet. Only units it has let go
// of may leave the book.
result<std::int64_t> remove_units(services& with, const sale::sale& s, const stock_change& change) {
    sale::sale smaller = s;
    smaller.stock += change.delta;
    smaller.revision = 0;  // the ledger does not know of it yet
    if (smaller.stock < 0) return make_error_code(errc::conflict);
    if (const auto told = tell_gate(with, smaller); !told) return told.error();
    const auto total = book(with, s, change);
    if (const auto told = tell_gate_of_change(with, s.id); !told)
        log::error("edge.gate_not_told", "sale", s.id.value, "reason", told.error().message());
    return total;
}

// How many units the strictest of the two would let go.
std::int64_t free_units(services& with, const sale::sale& s) {
    if (const auto standing = with.turnstile.look_up(s.id))
        return standing->stock - standing->taken;
    const auto figures = with.ledger.catalogue().figures();
    if (!figures) return 0;
    for (const ledger::sale_figures& f : *figures)
        if (f.sale == s.id) return f.stock - f.held;
    return 0;
}

reply stock_refused(services& with, const call& c, const sale::sale& s,
                    const boost::system::error_code& why) {
    if (why == make_error_code(errc::conflict)) {
        const std::int64_t free = free_units(with, s);
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
    stock_change change{.delta = body.integer("delta", {-sale::stock_max, sale::stock_max}),
                        .note = body.optional_text("note", {.max = note_bytes_max}).value_or(""),
                        .at = c.now};
    if (const auto fault = body.finish()) return refuse(*fault, c.language);
    if (change.delta == 0)
        return problem_reply(problem::invalid, c.language,
                             {{"detail", "delta must not be 0"}, {"field", "delta"}});

    const std::lock_guard one_at_a_time(with.catalogue_mutex);
    const auto s = find_sale(with, {c.ids.at(0)});
    if (!s) return failure_reply(s.error(), c.language);
    const bool adding = change.delta > 0;
    const auto total = adding ? add_units(with, *s, change) : remove_units(with, *s, change);
    if (!total) return stock_refused(with, c, *s, total.error());
    audit(with, c,
          {adding ? "stock.added" : "stock.removed",
           subject_of("sale", s->id.value),
           {{"stock", s->stock}},
           {{"stock", *total}, {"note", change.note}}});
    show(with);
    sale::sale now = *s;
    now.stock = *total;
    return json_reply(200, to_json(now));
}

reply get_stock_log(services& with, const call& c) {
    constexpr bounds limits{1, 1000};
    const auto limit = query_number(c, "limit", limits, 100);
    if (!limit) return bad_query(c, "limit", limits);
    const auto s = find_sale(with, {c.ids.at(0)});
    if (!s) return failure_reply(s.error(), c.language);
    const auto moves = with.ledger.catalogue().stock_log(s->id, static_cast<std::size_t>(*limit));
    if (!moves) return failure_reply(moves.error(), c.language);
    boost::json::array out;
    for (const ledger::stock_move& m : *moves) out.push_back(to_json(m));
    return json_reply(200, {{"moves", std::move(out)}});
}

}  // namespace floodgate::api
