// Admins' handlers for products.

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

shop::product_change read_product(json_body& body) {
    constexpr text_rule title{.min = 1, .max = sale::title_bytes_max, .name = true};
    constexpr text_rule description{.max = sale::description_bytes_max, .lines = true};
    constexpr list_rule pictures{
        .count_max = sale::pictures_max,
        .each = {.min = 1, .max = sale::picture_bytes_max, .picture = true}};
    shop::product_change p{.title = body.optional_text("title", title),
                           .description = body.optional_text("description", description),
                           .pictures = body.optional_texts("pictures", pictures),
                           .list_price = {}};
    if (const auto fen = body.optional_integer("list_price_fen", {0, sale::price_fen_max}))
        p.list_price = sale::fen{*fen};
    return p;
}

}  // namespace

reply list_products(services& with, const call& c) {
    constexpr page_rule pages{"products", "before", 500, 500};
    return page_reply(
        c, pages,
        [&](std::int64_t before, std::size_t limit) {
            return with.ledger.catalogue().products({before}, limit);
        },
        [](const sale::product& p) { return to_json(p); },
        [](const sale::product& p) { return p.id.value; });
}

reply get_product(services& with, const call& c) {
    const auto p = with.ledger.catalogue().find_product({c.ids.at(0)});
    if (!p) return failure_reply(p.error(), c.language);
    return json_reply(200, to_json(*p));
}

reply create_product(services& with, const call& c) {
    json_body body(c.body);
    body.require({"title", "list_price_fen"});
    const shop::product_change given = read_product(body);
    if (const auto fault = body.finish()) return refuse(*fault, c.language);

    const sale::product p{.id = {},
                          .title = given.title.value_or(""),
                          .description = given.description.value_or(""),
                          .pictures = given.pictures.value_or(std::vector<std::string>()),
                          .list_price = given.list_price.value_or(sale::fen{})};
    const auto kept = with.desk.add_product(p, admin_of(c));
    if (!kept) return failure_reply(kept.error(), c.language);
    return created("/api/v1/admin/products/" + std::to_string(kept->id.value), to_json(*kept));
}

reply update_product(services& with, const call& c) {
    json_body body(c.body);
    const shop::product_change change = read_product(body);
    if (const auto fault = body.finish()) return refuse(*fault, c.language);

    const auto p = with.desk.change_product({c.ids.at(0)}, change, admin_of(c));
    if (!p) return failure_reply(p.error(), c.language);
    return json_reply(200, to_json(*p));
}

}  // namespace floodgate::api
