// Admins' handlers for products.

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

reply product_refused(const call& c, const boost::system::error_code& why) {
    if (why == make_error_code(errc::already_exists))
        return failure_reply(
            why, c.language,
            {{"detail", "another product has this external_id"}, {"field", "external_id"}});
    return failure_reply(why, c.language);
}

}  // namespace

reply list_products(services& with, const call& c) {
    constexpr page_rule pages{"products", "before", 500, 500};
    const ledger::product_filter which{.text = query_value(c, "q").value_or(""),
                                       .external_id = query_value(c, "external_id").value_or("")};
    return page_reply(
        c, pages,
        [&](std::int64_t before, std::size_t limit) {
            return with.ledger.catalogue().products({before}, limit, which);
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
    const sale::product_change given = read_product(body);
    if (const auto fault = body.finish()) return refuse(*fault, c.language);

    const sale::product p = given.applied_to({});
    const auto kept = with.desk.add_product(p, admin_of(c));
    if (!kept) return product_refused(c, kept.error());
    return created("/api/v1/admin/products/" + std::to_string(kept->id.value), to_json(*kept));
}

reply update_product(services& with, const call& c) {
    json_body body(c.body);
    const sale::product_change change = read_product(body);
    if (const auto fault = body.finish()) return refuse(*fault, c.language);

    const auto p = with.desk.change_product({c.ids.at(0)}, change, admin_of(c));
    if (!p) return product_refused(c, p.error());
    return json_reply(200, to_json(*p));
}

}  // namespace floodgate::api
