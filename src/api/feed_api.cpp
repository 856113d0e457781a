// The feed of events, for the shop's other systems.

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "api/failure.hpp"
#include "api/orders_out_api.hpp"
#include "api/query.hpp"
#include "sale/order_number.hpp"

namespace floodgate::api {
namespace {

constexpr bounds places{0, std::numeric_limits<std::int64_t>::max() - 1};
constexpr bounds limits{1, 1000};

boost::json::object to_json(const ledger::feed_event& e, const sale_labels& labels) {
    if (!e.alert.empty()) {
        boost::system::error_code broken;
        boost::json::value alert = boost::json::parse(e.alert, broken);
        if (broken) alert = boost::json::string(e.alert);
        return {{"id", e.no}, {"kind", "alert"}, {"at", to_iso(e.at)}, {"alert", std::move(alert)}};
    }
    const sale::order& o = e.order;
    boost::json::object out{{"id", e.no},
                            {"kind", "order"},
                            {"at", to_iso(e.at)},
                            {"order_no", sale::to_text(o.no)},
                            {"sale_id", o.sale.value},
                            {"buyer_id", o.buyer.value},
                            {"from", to_text(e.from)},
                            {"to", to_text(e.to)},
                            {"reason", e.reason},
                            {"quantity", o.quantity},
                            {"amount_fen", o.amount.value},
                            {"amount_points", o.amount_points.value}};
    if (!o.method.empty()) out["method"] = o.method;
    if (const auto label = labels.find(o.sale.value); label != labels.end()) {
        out["product_id"] = label->second.product.value;
        out["product_title"] = label->second.title;
    }
    return out;
}

// The caller cannot be told what it has missed, only where it can go on.
reply gone(const call& c, std::int64_t first) {
    return problem_reply(
        problem::events_gone, c.language,
        {{"detail", fmt::format("the oldest event that is still kept is {}", first)},
         {"first_id", first}});
}

}  // namespace

reply list_events(services& with, const call& c) {
    const auto after = query_number(c, "after", places, 0);
    if (!after) return bad_query(c, "after", places);
    const auto limit = query_number(c, "limit", limits, 100);
    if (!limit) return bad_query(c, "limit", limits);
    const auto page = with.ledger.feed().read(*after, static_cast<std::size_t>(*limit));
    if (!page) return failure_reply(page.error(), c.language);
    if (*after + 1 < page->first_kept) return gone(c, page->first_kept);
    const auto labels = with.showcase.labels();
    boost::json::array events;
    for (const ledger::feed_event& e : page->events) events.push_back(to_json(e, *labels));
    const std::int64_t next = page->events.empty() ? *after : page->events.back().no;
    return json_reply(200, {{"events", std::move(events)}, {"next_after", next}});
}

}  // namespace floodgate::api
