#include "http/repeated_purchase.hpp"

#include <boost/json/object.hpp>

#include "api/order_json.hpp"
#include "base/log.hpp"
#include "sale/order_number.hpp"

namespace floodgate::http {
namespace {

api::reply queued_reply(sale::order_no no) {
    return api::json_reply(202, {{"order_no", sale::to_text(no)},
                                 {"status", sale::to_text(sale::order_state::queued)}});
}

api::reply reply_of(const api::services& with, const sale::order& o) {
    if (o.state == sale::order_state::queued) return queued_reply(o.no);
    return api::json_reply(200, api::to_json(o, with.showcase));
}

}  // namespace

std::optional<api::reply> find_repeat(const api::services& with, const sale::verdict& repeated) {
    const auto known = with.recent.find(repeated.order);
    if (known && known->buyer == repeated.buyer) return reply_of(with, *known);
    if (with.recent.is_beyond_entries(repeated.order)) return queued_reply(repeated.order);
    return std::nullopt;
}

std::optional<api::reply> look_up_repeat(api::services& with, const sale::verdict& repeated) {
    try {
        const auto found = with.orders.find(repeated.buyer, repeated.order);
        if (found) return reply_of(with, *found);
    } catch (const std::exception& e) {
        log::error("http.repeat_failed", "error", e.what());
    }
    return std::nullopt;
}

sale::verdict undecided_repeat(const sale::verdict& repeated) {
    return {
        .reply_to = repeated.reply_to, .what = sale::answer::undecided, .order = repeated.order};
}

}  // namespace floodgate::http
