#include "api/order_api.hpp"

#include "api/order_json.hpp"
#include "api/paging.hpp"
#include "sale/order_number.hpp"

namespace floodgate::api {
namespace {

constexpr bounds wait_bounds{0, 30'000};

std::optional<sale::order_state> wanted_status(const call& c) {
    const auto word = query_value(c, "while");
    return word ? sale::parse_order_state(*word) : sale::order_state::queued;
}

}  // namespace

std::optional<order_wait> read_wait(const call& c) {
    const auto time = query_number(c, "wait_ms", wait_bounds, 0);
    const auto status = wanted_status(c);
    if (!time || !status) return std::nullopt;
    return order_wait{milliseconds(*time), *status};
}

reply get_order(services& with, const call& c) {
    if (!query_number(c, "wait_ms", wait_bounds, 0)) return bad_query(c, "wait_ms", wait_bounds);
    if (!wanted_status(c))
        return problem_reply(
            problem::bad_request, c.language,
            {{"detail", "while must be the status of an order, such as queued or unpaid"},
             {"field", "while"}});
    const auto found = with.orders.find(c.user, {static_cast<std::uint64_t>(c.ids.at(0))});
    if (!found) return failure_reply(found.error(), c.language);
    return json_reply(200, to_json(*found, with.showcase));
}

reply list_orders(services& with, const call& c) {
    constexpr page_rule pages{"orders", "before", 100, 20};
    const auto labels = with.showcase.labels();
    return page_reply(
        c, pages,
        [&](std::int64_t before, std::size_t count) {
            return with.orders.latest(c.user, {static_cast<std::uint64_t>(before)}, count);
        },
        [&](const sale::order& o) { return to_json(o, *labels); },
        [](const sale::order& o) { return sale::to_text(o.no); });
}

}  // namespace floodgate::api
