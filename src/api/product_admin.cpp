// Admins' handlers for products.

#include <boost/json/array.hpp>

#include <utility>

#include "api/admin_api.hpp"
#include "api/admin_desk.hpp"
#include "api/catalogue_json.hpp"
#include "api/failure.hpp"
#include "api/json_body.hpp"

namespace floodgate::api {
namespace {

result<sale::product> find_product(services& with, sale::product_id id) {
    auto products = with.ledger.catalogue().products();
    if (!products) return products.error();
    for (sale::product& p : *products)
        if (p.id == id) return std::move(p);
    return make_error_code(errc::not_found);
}

void read_product(json_body& body, sale::product& p) {
    constexpr text_rule title{.min = 1, .max = sale::title_bytes_max};
    constexpr text_rule description{.max = sale::description_bytes_max, .lines = true};
    constexpr list_rule pictures{.count_max = sale::pictures_max,
                                 .each = {.min = 1, .max = sale::picture_bytes_max}};
    p.title = body.optional_text("title", title).value_or(p.title);
    p.description = body.optional_text("description", description).value_or(p.description);
    p.pictures = body.optional_texts("pictures", pictures).value_or(p.pictures);
    p.list_price = {body.optional_integer("list_price_fen", {0, sale::price_fen_max})
                        .value_or(p.list_price.value)};
}

}  // namespace

reply list_products(services& with, const call& c) {
    const auto products = with.ledger.catalogue().products();
    if (!products) return failure_reply(products.error(), c.language);
    boost::json::array out;
    for (const sale::product& p : *products) out.push_back(to_json(p));
    return json_reply(200, {{"products", std::move(out)}});
}

reply get_product(services& with, const call& c) {
    const auto p = find_product(with, {c.ids.at(0)});
    if (!p) return failure_reply(p.error(), c.language);
    return json_reply(200, to_json(*p));
}

reply create_product(services& with, const call& c) {
    json_body body(c.body);
    sale::product p;
    body.require({"title", "list_price_fen"});
    read_product(body, p);
    if (const auto fault = body.finish()) return refuse(*fault, c.language);

    const std::lock_guard one_at_a_time(with.catalogue_mutex);
    const auto id = with.ledger.catalogue().add_product(p);
    if (!id) return failure_reply(id.error(), c.language);
    p.id = *id;
    audit(with, c, {"product.created", subject_of("product", id->value), {}, to_json(p)});
    show(with);
    return created("/api/v1/admin/products/" + std::to_string(id->value), to_json(p));
}

reply update_product(services& with, const call& c) {
    const std::lock_guard one_at_a_time(with.catalogue_mutex);
    const auto old = find_product(with, {c.ids.at(0)});
    if (!old) return failure_reply(old.error(), c.language);
    json_body body(c.body);
    sale::product p = *old;
    read_product(body, p);
    if (const auto fault = body.finish()) return refuse(*fault, c.language);

    if (const auto done = with.ledger.catalogue().update_product(p); !done)
        return failure_reply(done.error(), c.language);
    audit(with, c,
          {"product.changed", subject_of("product", p.id.value), to_json(*old), to_json(p)});
    show(with);
    return json_reply(200, to_json(p));
}

}  // namespace floodgate::api
