#include "sale/catalogue_change.hpp"

namespace floodgate::sale {

product product_change::applied_to(product p) const {
    p.title = title.value_or(p.title);
    p.description = description.value_or(p.description);
    p.pictures = pictures.value_or(p.pictures);
    p.list_price = list_price.value_or(p.list_price);
    p.external_id = external_id.value_or(p.external_id);
    p.metadata = metadata.value_or(p.metadata);
    return p;
}

round round_change::applied_to(round r) const {
    r.title = title.value_or(r.title);
    r.starts_at = starts_at.value_or(r.starts_at);
    r.ends_at = ends_at.value_or(r.ends_at);
    r.external_id = external_id.value_or(r.external_id);
    return r;
}

sale terms_change::applied_to(sale s) const {
    s.price = price.value_or(s.price);
    s.price_points = price_points.value_or(s.price_points);
    s.limit = limit.value_or(s.limit);
    s.pay_within_s = pay_within_s.value_or(s.pay_within_s);
    s.resell_refunded = resell_refunded.value_or(s.resell_refunded);
    s.earns_points = earns_points.value_or(s.earns_points);
    s.external_id = external_id.value_or(s.external_id);
    s.metadata = metadata.value_or(s.metadata);
    return s;
}

}  // namespace floodgate::sale
