#include "shop/catalogue_json.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include "base/iso_time.hpp"

namespace floodgate::shop {

boost::json::value external_id_json(const std::string& id) {
    if (id.empty()) return nullptr;
    return boost::json::string(id);
}

// The text was checked when it came in. A text that was changed by hand must not stop a page.
boost::json::object metadata_json(const std::string& text) {
    if (text.empty()) return {};
    boost::system::error_code broken;
    boost::json::value value = boost::json::parse(text, broken);
    return broken || !value.is_object() ? boost::json::object() : std::move(value.get_object());
}

boost::json::object to_json(const sale::product& p) {
    return {{"id", p.id.value},
            {"title", p.title},
            {"description", p.description},
            {"pictures", boost::json::array(p.pictures.begin(), p.pictures.end())},
            {"list_price_fen", p.list_price.value},
            {"external_id", external_id_json(p.external_id)},
            {"metadata", metadata_json(p.metadata)}};
}

boost::json::object to_json(const sale::round& r) {
    return {{"id", r.id.value},
            {"title", r.title},
            {"starts_at", to_iso(r.starts_at)},
            {"ends_at", to_iso(r.ends_at)},
            {"external_id", external_id_json(r.external_id)}};
}

boost::json::object to_json(const sale::sale& s) {
    return {{"id", s.id.value},
            {"product_id", s.product.value},
            {"round_id", s.round.value},
            {"price_fen", s.price.value},
            {"price_points", s.price_points.value},
            {"stock", s.stock},
            {"limit", s.limit},
            {"pay_within_s", s.pay_within_s},
            {"resell_refunded", s.resell_refunded},
            {"earns_points", s.earns_points.value},
            {"state", to_text(s.state)},
            {"starts_at", to_iso(s.starts_at)},
            {"ends_at", to_iso(s.ends_at)},
            {"external_id", external_id_json(s.external_id)},
            {"metadata", metadata_json(s.metadata)}};
}

}  // namespace floodgate::shop
