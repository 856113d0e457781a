#include "api/order_api.hpp"

#include <algorithm>
#include <limits>

#include "api/failure.hpp"
#include "api/order_json.hpp"
#include "api/query.hpp"
#include "sale/order_number.hpp"

namespace floodgate::api {
namespace {

namespace json = boost::json;
using promised = gate::turnstile::promised;

constexpr bounds wait_bounds{0, 30'000};

std::optional<seen_order> find_recent(services& with, sale::user_id buyer, sale::order_no no) {
    const auto found = with.recent.find(no);
    if (!found || found->buyer != buyer) return std::nullopt;
    return seen_order{found->state, to_json(*found)};
}

result<seen_order> find_entered(services& with, sale::user_id buyer, sale::order_no no) {
    const auto found = with.ledger.orders().find(no);
    if (!found) return found.error();
    if (found->buyer != buyer) return make_error_code(errc::not_found);
    return seen_order{found->state, to_json(*found)};
}

std::optional<seen_order> find_promised(services& with, sale::user_id buyer, sale::order_no no) {
    for (const promised& p : with.turnstile.promised_to(buyer))
        if (p.order == no) return seen_order{sale::order_state::queued, to_json(p)};
    return std::nullopt;
}

std::optional<sale::order_state> wanted_status(const call& c) {
    const auto word = query_value(c, "while");
    return word ? sale::parse_order_state(*word) : sale::order_state::queued;
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

std::optional<order_wait> read_wait(const call& c) {
    const auto time = query_number(c, "wait_ms", wait_bounds, 0);
    const auto status = wanted_status(c);
    if (!time || !status) return std::nullopt;
    return order_wait{milliseconds(*time), *status};
}

result<seen_order> look_up_order(services& with, sale::user_id buyer, sale::order_no no) {
    if (auto known = find_recent(with, buyer, no)) return std::move(*known);
    // What is promised above the newest entry is still queued: the ledger need not be asked.
    if (no > with.recent.newest_entered()) {
        if (auto queued = find_promised(with, buyer, no)) return std::move(*queued);
    }
    auto found = find_entered(with, buyer, no);
    if (found || found.error() != make_error_code(errc::not_found)) return found;
    if (auto queued = find_promised(with, buyer, no)) return std::move(*queued);
    // Entered, and given back by the gate, between the two looks? Then the ledger has it now.
    return find_entered(with, buyer, no);
}

reply get_order(services& with, const call& c) {
    if (!query_number(c, "wait_ms", wait_bounds, 0)) return bad_query(c, "wait_ms", wait_bounds);
    if (!wanted_status(c))
        return problem_reply(
            problem::bad_request, c.language,
            {{"detail", "while must be the status of an order, such as queued or unpaid"},
             {"field", "while"}});
    const auto found = look_up_order(with, c.user, {static_cast<std::uint64_t>(c.ids.at(0))});
    if (!found) return failure_reply(found.error(), c.language);
    return json_reply(200, found->json);
}

result<json::array> latest_orders(services& with, sale::user_id buyer, sale::order_no before,
                                  std::size_t count) {
    // The gate first: what it lets go of afterwards is in the ledger by then.
    const auto gate = with.turnstile.promised_to(buyer);
    const auto entered = with.ledger.orders().of_buyer(buyer, before, count);
    if (!entered) return entered.error();
    return merged(gate, *entered, before, count);
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

    // One more than asked for tells whether there is a next page.
    auto found = latest_orders(with, c.user, before, count + 1);
    if (!found) return failure_reply(found.error(), c.language);
    json::array& orders = *found;
    json::value next_before;
    if (orders.size() > count) {
        orders.pop_back();
        next_before = orders.back().at("order_no");
    }
    return json_reply(200, {{"orders", std::move(orders)}, {"next_before", next_before}});
}

}  // namespace floodgate::api
