#include "push/hello.hpp"

#include <boost/json/serialize.hpp>

#include "api/order_json.hpp"
#include "sale/order_number.hpp"

namespace floodgate::push {
namespace {

namespace json = boost::json;

constexpr std::size_t orders_max = 20;
constexpr std::size_t events_max = 100;

json::object event_json(const ledger::order_event_line& line) {
    json::object out{{"id", line.id},
                     {"order_no", sale::to_text(line.order)},
                     {"from", sale::to_text(line.from)},
                     {"to", sale::to_text(line.to)},
                     {"at", api::to_iso(line.at)}};
    if (!line.reason.empty()) out["reason"] = line.reason;
    return out;
}

struct mailbox {
    json::array events;
    std::int64_t last = 0;
};

result<mailbox> read_mailbox(api::services& with, sale::user_id buyer,
                             std::optional<std::int64_t> since) {
    mailbox out;
    if (!since) {
        const auto latest = with.ledger.moves().latest_event_of(buyer);
        if (!latest) return latest.error();
        out.last = *latest;
        return out;
    }
    const auto missed = with.ledger.moves().events_of(buyer, *since, events_max);
    if (!missed) return missed.error();
    out.last = missed->empty() ? *since : missed->back().id;
    for (const auto& line : *missed) out.events.push_back(event_json(line));
    return out;
}

}  // namespace

bool hello::covers(const sale::order_news& news) const {
    if (news.event != 0) return news.event <= last_event;
    const auto known = states.find(news.what.no);
    if (known == states.end() || known->second == sale::order_state::queued) return false;
    return news.what.closing.empty() || known->second != sale::order_state::unpaid;
}

result<hello> make_hello(api::services& with, sale::user_id buyer,
                         std::optional<std::int64_t> since, milliseconds heartbeat) {
    // Read the mailbox first: the orders, read later, are at least as new as its last line.
    auto missed = read_mailbox(with, buyer, since);
    if (!missed) return missed.error();
    const auto orders = with.orders.latest(buyer, {0}, orders_max);
    if (!orders) return orders.error();

    hello out;
    out.last_event = missed->last;
    json::array shown;
    for (const sale::order& o : *orders) {
        out.states.emplace(o.no, o.state);
        shown.push_back(api::to_json(o, with.showcase));
    }
    out.text = json::serialize(json::object{{"type", "hello"},
                                            {"orders", std::move(shown)},
                                            {"events", std::move(missed->events)},
                                            {"last_event", out.last_event},
                                            {"heartbeat_ms", heartbeat.count()}});
    return out;
}

std::string order_message(const sale::order_news& news) {
    return json::serialize(
        json::object{{"type", "order"}, {"event", news.event}, {"order", api::to_json(news.what)}});
}

}  // namespace floodgate::push
