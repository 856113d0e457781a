#include "api/order_json.hpp"

#include "api/reply.hpp"
#include "sale/order_number.hpp"

namespace floodgate::api {

boost::json::object to_json(const sale::order& o) {
    boost::json::object out{{"order_no", sale::to_text(o.no)},
                            {"sale_id", o.sale.value},
                            {"quantity", o.quantity},
                            {"status", sale::to_text(o.state)}};
    if (o.state != sale::order_state::queued) {
        out["amount_fen"] = o.amount.value;
        out["amount_points"] = o.amount_points.value;
    }
    if (o.refunded.value > 0) out["refunded_fen"] = o.refunded.value;
    out["created_at"] = to_iso(o.created_at);
    if (o.state == sale::order_state::unpaid) {
        out["pay_by"] = to_iso(o.pay_by);
        if (!o.closing.empty()) out["closing"] = o.closing;
    }
    if (!o.reason.empty()) out["reason"] = o.reason;
    return out;
}

}  // namespace floodgate::api
