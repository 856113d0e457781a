// Admins' handlers for sales and their terms.

#include <limits>
#include <utility>

#include "api/admin_api.hpp"
#include "api/admin_desk.hpp"
#include "api/failure.hpp"
#include "api/json_body.hpp"
#include "api/paging.hpp"
#include "shop/catalogue_json.hpp"

namespace floodgate::api {
namespace {

namespace json = boost::json;
using shop::to_json;

constexpr bounds ids{1, std::numeric_limits<std::int64_t>::max()};

shop::terms_change read_terms(json_body& body) {
    shop::terms_change t;
    if (const auto fen = body.optional_integer("price_fen", {0, sale::price_fen_max}))
        t.price = sale::fen{*fen};
    if (const auto points = body.optional_integer("price_points", {0, sale::points_max}))
        t.price_points = sale::points{*points};
    if (const auto limit = body.optional_integer("limit", {1, sale::limit_max}))
        t.limit = static_cast<std::uint32_t>(*limit);
    if (const auto seconds = body.optional_integer("pay_within_s", {1, sale::pay_within_s_max}))
        t.pay_within_s = static_cast<std::uint32_t>(*seconds);
    t.resell_refunded = body.optional_boolean("resell_refunded");
    if (const auto points = body.optional_integer("earns_points", {0, sale::points_max}))
        t.earns_points = sale::points{*points};
    return t;
}

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
        return {{"detail", "the product is in that round already"}};
    return {};
}

}  // namespace

reply list_sales(services& with, const call& c) {
    constexpr page_rule pages{"sales", "before", 500, 500};
    return page_reply(
        c, pages,
        [&](std::int64_t before, std::size_t limit) {
            return with.ledger.catalogue().sales({before}, limit);
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
    const shop::terms_change terms = read_terms(body);
    if (const auto fault = body.finish()) return refuse(*fault, c.language);

    const auto kept = with.desk.add_sale(terms.applied_to(s), admin_of(c));
    if (!kept) return failure_reply(kept.error(), c.language, explain(kept.error()));
    return created("/api/v1/admin/sales/" + std::to_string(kept->id.value), to_json(*kept));
}

reply update_sale(services& with, const call& c) {
    json_body body(c.body);
    const shop::terms_change change = read_terms(body);
    if (const auto fault = body.finish()) return refuse(*fault, c.language);

    const auto done = with.desk.change_terms({c.ids.at(0)}, change, admin_of(c));
    if (!done && done.error() == make_error_code(errc::conflict))
        return failure_reply(
            done.error(), c.language,
            {{"field", "limit"}, {"detail", "the limit of a published sale can only be raised"}});
    if (!done) return failure_reply(done.error(), c.language);
    if (done->gate) return failure_reply(done->gate, c.language);
    return json_reply(200, to_json(done->sale));
}

}  // namespace floodgate::api
