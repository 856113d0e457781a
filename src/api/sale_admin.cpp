// Admins' handlers for sales and their terms.

#include <limits>
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

namespace json = boost::json;
using shop::to_json;

constexpr bounds ids{1, std::numeric_limits<std::int64_t>::max()};

json::value standing_json(const std::optional<gate::standing>& standing) {
    if (!standing) return nullptr;
    return {{"stock", standing->stock},
            {"taken", standing->taken},
            {"free", standing->stock - standing->taken},
            {"buyers", standing->buyers},
            {"bytes", standing->bytes}};
}

result<json::object> figures_of(services& with, sale::sale_id id) {
    const auto f = with.ledger.catalogue().find_figures(id);
    if (!f) return f.error();
    return json::object{{"ledger", {{"stock", f->stock}, {"held", f->held}}},
                        {"gate", standing_json(with.turnstile.look_up(id))}};
}

json::object explain(const boost::system::error_code& why) {
    if (why == make_error_code(errc::not_found))
        return {{"detail", "there is no such product or round"}};
    if (why == make_error_code(errc::already_exists))
        return {{"detail",
                 "the product is in that round already, or another sale has this external_id"}};
    return {};
}

}  // namespace

reply list_sales(services& with, const call& c) {
    constexpr page_rule pages{"sales", "before", 500, 500};
    const auto round = query_number(c, "round_id", ids, 0);
    if (!round) return bad_query(c, "round_id", ids);
    const auto product = query_number(c, "product_id", ids, 0);
    if (!product) return bad_query(c, "product_id", ids);
    const auto word = query_value(c, "state");
    const auto state = word ? sale::parse_sale_state(*word) : std::nullopt;
    if (word && !state)
        return problem_reply(
            problem::bad_request, c.language,
            {{"detail", "state must be draft, published, paused or ended"}, {"field", "state"}});
    const ledger::sale_filter which{.round = {*round},
                                    .product = {*product},
                                    .state = state,
                                    .external_id = query_value(c, "external_id").value_or("")};
    return page_reply(
        c, pages,
        [&](std::int64_t before, std::size_t limit) {
            return with.ledger.catalogue().sales({before}, limit, which);
        },
        [](const sale::sale& s) { return to_json(s); },
        [](const sale::sale& s) { return s.id.value; });
}

reply get_sale(services& with, const call& c) {
    const auto s = with.ledger.catalogue().find_sale({c.ids.at(0)});
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
    const sale::terms_change terms = read_terms(body);
    if (const auto fault = body.finish()) return refuse(*fault, c.language);

    const auto kept = with.desk.add_sale(terms.applied_to(s), admin_of(c));
    if (!kept) return failure_reply(kept.error(), c.language, explain(kept.error()));
    return created("/api/v1/admin/sales/" + std::to_string(kept->id.value), to_json(*kept));
}

reply update_sale(services& with, const call& c) {
    json_body body(c.body);
    const sale::terms_change change = read_terms(body);
    if (const auto fault = body.finish()) return refuse(*fault, c.language);

    const auto done = with.desk.change_terms({c.ids.at(0)}, change, admin_of(c));
    if (!done && done.error() == make_error_code(errc::conflict))
        return failure_reply(
            done.error(), c.language,
            {{"field", "limit"}, {"detail", "the limit of a published sale can only be raised"}});
    if (!done && done.error() == make_error_code(errc::already_exists))
        return failure_reply(
            done.error(), c.language,
            {{"field", "external_id"}, {"detail", "another sale has this external_id"}});
    if (!done) return failure_reply(done.error(), c.language);
    if (done->gate) return failure_reply(done->gate, c.language);
    return json_reply(200, to_json(done->sale));
}

}  // namespace floodgate::api
