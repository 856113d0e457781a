// Admins' handlers for sales and their terms.

#include <boost/json/array.hpp>

#include <limits>
#include <ranges>
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

namespace json = boost::json;

constexpr bounds ids{1, std::numeric_limits<std::int64_t>::max()};

void read_terms(json_body& body, sale::sale& s) {
    s.price = {
        body.optional_integer("price_fen", {0, sale::price_fen_max}).value_or(s.price.value)};
    s.price_points = {body.optional_integer("price_points", {0, sale::points_max})
                          .value_or(s.price_points.value)};
    s.limit = static_cast<std::uint32_t>(
        body.optional_integer("limit", {1, sale::limit_max}).value_or(s.limit));
    s.pay_within_s = static_cast<std::uint32_t>(
        body.optional_integer("pay_within_s", {1, sale::pay_within_s_max})
            .value_or(s.pay_within_s));
}

json::value to_json(const std::optional<gate::standing>& standing) {
    if (!standing) return nullptr;
    return {{"stock", standing->stock},
            {"taken", standing->taken},
            {"free", standing->stock - standing->taken},
            {"buyers", standing->buyers},
            {"bytes", standing->bytes}};
}

result<json::object> figures_of(services& with, sale::sale_id id) {
    const auto figures = with.ledger.catalogue().figures();
    if (!figures) return figures.error();
    for (const ledger::sale_figures& f : *figures) {
        if (f.sale != id) continue;
        return json::object{{"ledger", {{"stock", f.stock}, {"held", f.held}}},
                            {"gate", to_json(with.turnstile.look_up(id))}};
    }
    return make_error_code(errc::not_found);
}

json::object explain(const boost::system::error_code& why) {
    if (why == make_error_code(errc::not_found))
        return {{"detail", "there is no such product or round"}};
    if (why == make_error_code(errc::already_exists))
        return {{"detail", "the product is in that round already"}};
    return {};
}

}  // namespace

reply list_sales(services& with, const call& c) {
    constexpr bounds limits{1, 500};
    const auto limit = query_number(c, "limit", limits, limits.max);
    if (!limit) return bad_query(c, "limit", limits);
    const auto before = query_number(c, "before", ids, ids.max);
    if (!before) return bad_query(c, "before", ids);
    const auto sales = with.ledger.catalogue().sales();
    if (!sales) return failure_reply(sales.error(), c.language);
    json::array out;
    json::value next_before;
    for (const sale::sale& s : std::views::reverse(*sales)) {
        if (s.id.value >= *before) continue;
        if (std::ssize(out) == *limit) {
            next_before = out.back().at("id");
            break;
        }
        out.push_back(to_json(s));
    }
    return json_reply(200, {{"sales", std::move(out)}, {"next_before", next_before}});
}

reply get_sale(services& with, const call& c) {
    const auto s = find_sale(with, {c.ids.at(0)});
    if (!s) return failure_reply(s.error(), c.language);
    auto figures = figures_of(with, s->id);
    if (!figures) return failure_reply(figures.error(), c.language);
    json::object out = to_json(*s);
    out["figures"] = std::move(*figures);
    return json_reply(200, out);
}

reply create_sale(services& with, const call& c) {
    json_body body(c.body);
    sale::sale s;
    body.require({"price_fen"});
    s.product = {body.integer("product_id", ids)};
    s.round = {body.integer("round_id", ids)};
    s.stock = body.integer("stock", {0, sale::stock_max});
    read_terms(body, s);
    if (const auto fault = body.finish()) return refuse(*fault, c.language);

    const std::lock_guard one_at_a_time(with.catalogue_mutex);
    const auto id = with.ledger.catalogue().add_sale(s, c.now);
    if (!id) return failure_reply(id.error(), c.language, explain(id.error()));
    const auto kept = find_sale(with, *id);  // with the window of its round
    if (!kept) return failure_reply(kept.error(), c.language);
    audit(with, c, {"sale.created", subject_of("sale", id->value), {}, to_json(*kept)});
    show(with);
    return created("/api/v1/admin/sales/" + std::to_string(id->value), to_json(*kept));
}

reply update_sale(services& with, const call& c) {
    const std::lock_guard one_at_a_time(with.catalogue_mutex);
    const auto old = find_sale(with, {c.ids.at(0)});
    if (!old) return failure_reply(old.error(), c.language);
    json_body body(c.body);
    sale::sale s = *old;
    read_terms(body, s);
    if (const auto fault = body.finish()) return refuse(*fault, c.language);

    // Promises made under the old limit may be on their way to the ledger, which holds them to the
    // limit it finds.
    if (s.limit < old->limit && old->state != sale::sale_state::draft)
        return problem_reply(
            problem::conflict, c.language,
            {{"field", "limit"}, {"detail", "the limit of a published sale can only be raised"}});
    if (const auto done = with.ledger.catalogue().update_sale_terms(s); !done)
        return failure_reply(done.error(), c.language);
    const auto told = tell_gate_of_change(with, s.id);
    audit(with, c, {"sale.changed", subject_of("sale", s.id.value), to_json(*old), to_json(s)});
    show(with);
    if (!told) {
        log::error("edge.gate_not_told", "sale", s.id.value, "reason", told.error().message());
        return failure_reply(told.error(), c.language);
    }
    return json_reply(200, to_json(s));
}

}  // namespace floodgate::api
