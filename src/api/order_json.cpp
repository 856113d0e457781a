#include "api/order_json.hpp"

#include "api/reply.hpp"
#include "sale/order_number.hpp"
#include "shop/catalogue_json.hpp"

namespace floodgate::api {

boost::json::object to_json(const sale::order& o) {
    boost::json::object out{{"order_no", sale::to_text(o.no)},
                            {"sale_id", o.sale.value},
                            {"quantity", o.quantity},
                            {"status", sale::to_text(o.state)}};
    if (o.state != sale::order_state::queued) {
        out["amount_fen"] = o.amount.value;
        out["amount_points"] = o.amount_points.value;
        out["unit_price_fen"] = sale::of_one_unit(o.amount.value, o.quantity);
        out["unit_price_points"] = sale::of_one_unit(o.amount_points.value, o.quantity);
    }
    if (o.refunded.value > 0) out["refunded_fen"] = o.refunded.value;
    out["created_at"] = to_iso(o.created_at);
    if (o.state == sale::order_state::unpaid) {
        out["pay_by"] = to_iso(o.pay_by);
        if (!o.closing.empty()) out["closing"] = o.closing;
    }
    if (!o.reason.empty()) out["reason"] = o.reason;
    if (!o.method.empty()) out["method"] = o.method;
    if (o.paid_at != instant{}) out["paid_at"] = to_iso(o.paid_at);
    if (o.closed_at != instant{}) out["closed_at"] = to_iso(o.closed_at);
    if (o.refunded_at != instant{}) out["refunded_at"] = to_iso(o.refunded_at);
    return out;
}

boost::json::object to_json(const sale::order& o, const sale_labels& labels) {
    boost::json::object out = to_json(o);
    const auto found = labels.find(o.sale.value);
    if (found == labels.end()) return out;
    const sale_label& label = found->second;
    out["product_id"] = label.product.value;
    out["product_title"] = label.title;
    if (!label.external_id.empty()) out["sale_external_id"] = label.external_id;
    if (!label.product_external_id.empty()) out["product_external_id"] = label.product_external_id;
    if (!label.metadata.empty()) out["sale_metadata"] = shop::metadata_json(label.metadata);
    return out;
}

}  // namespace floodgate::api
