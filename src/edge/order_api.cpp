#include "edge/order_api.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <limits>

#include "edge/failure.hpp"
#include "edge/order_json.hpp"
#include "edge/query.hpp"
#include "sale/order_number.hpp"

namespace floodgate::edge {
namespace {

namespace json = boost::json;
using promised = gate::turnstile::promised;

// The buyer's order as the ledger has it. A foreign one is not found, like a missing one.
result<sale::order> find_own(services& with, const call& c, sale::order_no no) {
    auto found = with.ledger.orders().find(no);
    if (found && found->buyer != c.user) return make_error_code(errc::not_found);
    return found;
}

std::optional<promised> find_promised(services& with, const call& c, sale::order_no no) {
    for (const promised& p : with.turnstile.promised_to(c.user))
        if (p.order == no) return p;
    return std::nullopt;
}

// Newest first, those below `before`, and of the gate's only those the ledger does not have.
// `entered` is complete down to its last number, or complete altogether when it is short of
// `wanted`: a promise it lacks in that range is still queued.
json::array merged(const std::vector<promised>& gate, const std::vector<sale::order>& entered,
                   sale::order_no before, std::size_t wanted) {
    json::array out;
    auto next = entered.begin();
    const auto take_entered_down_to = [&](sale::order_no no) {
        for (; next != entered.end() && next->no >= no && out.size() < wanted; ++next)
            out.push_back(to_json(*next));
    };
    for (const promised& p : gate) {
        if (before.value != 0 && p.order >= before) continue;
        const bool known = std::ranges::find(entered, p.order, &sale::order::no) != entered.end();
        take_entered_down_to(p.order);
        if (!known && out.size() < wanted) out.push_back(to_json(p));
    }
    take_entered_down_to({0});
    return out;
}

}  // namespace

reply get_order(services& with, const call& c) {
    const sale::order_no no{static_cast<std::uint64_t>(c.ids.at(0))};
    auto found = find_own(with, c, no);
    if (!found && found.error() == make_error_code(errc::not_found)) {
        if (const auto p = find_promised(with, c, no)) return json_reply(200, to_json(*p));
        // Entered, and given back by the gate, between the two looks? Then the ledger has it now.
        found = find_own(with, c, no);
    }
    if (!found) return failure_reply(found.error(), c.language);
    return json_reply(200, to_json(*found));
}

reply list_orders(services& with, const call& c) {
    constexpr bounds limits{1, 100};
    constexpr bounds numbers{1, std::numeric_limits<std::int64_t>::max()};
    const auto limit = query_number(c, "limit", limits, 20);
    if (!limit) return bad_query(c, "limit", limits);
    const auto from = query_number(c, "before", numbers, 0);
    if (!from) return bad_query(c, "before", numbers);
    const sale::order_no before{static_cast<std::uint64_t>(*from)};
    const auto count = static_cast<std::size_t>(*limit);

    // The gate first: what it lets go of afterwards is in the ledger by then. One more than asked
    // for tells whether there is a next page.
    const auto gate = with.turnstile.promised_to(c.user);
    const auto entered = with.ledger.orders().of_buyer(c.user, before, count + 1);
    if (!entered) return failure_reply(entered.error(), c.language);
    json::array orders = merged(gate, *entered, before, count + 1);
    json::value next_before;
    if (orders.size() > count) {
        orders.pop_back();
        next_before = orders.back().at("order_no");
    }
    return json_reply(200, {{"orders", std::move(orders)}, {"next_before", next_before}});
}

}  // namespace floodgate::edge
