// Staff's handler for all that is known of one order.

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include "api/failure.hpp"
#include "api/order_json.hpp"
#include "api/orders_out_api.hpp"

namespace floodgate::api {
namespace {

using boost::json::object;

struct story_line {
    instant at;
    object what;
};

// In order of time. Lines of the same moment stay as they were added: the cause before its effect.
class time_line {
public:
    void add(instant at, const char* kind, object what) {
        if (at == instant{}) return;
        what["at"] = to_iso(at);
        what["kind"] = kind;
        lines_.push_back({at, std::move(what)});
    }
    boost::json::array take() {
        std::ranges::stable_sort(lines_, {}, &story_line::at);
        boost::json::array out;
        for (story_line& l : lines_) out.push_back(std::move(l.what));
        return out;
    }

private:
    std::vector<story_line> lines_;
};

object price_of(const sale::price& p, const std::string& method) {
    return {
        {"method", method}, {"amount_fen", p.money.value}, {"amount_points", p.in_points.value}};
}

void add_money(time_line& to, const ledger::order_story& s) {
    for (const ledger::told_trade& t : s.trades) {
        to.add(t.begun_at, "payment_begun", price_of(t.price, t.method));
        object paid = price_of(t.price, t.method);
        paid["state"] = t.state;
        to.add(t.paid_at, "payment", std::move(paid));
    }
    for (const ledger::channel_message& m : s.messages)
        to.add(m.at, "message",
               {{"method", m.method}, {"verdict", m.verdict}, {"channel_no", m.channel_no}});
    for (const ledger::refund& r : s.refunds) {
        object asked = price_of(r.price, r.method);
        asked["refund_no"] = r.number;
        asked["cause"] = ledger::to_text(r.cause);
        if (!r.reason.empty()) asked["reason"] = r.reason;
        if (r.asked_by.value != 0) asked["by"] = r.asked_by.value;
        to.add(r.asked_at, "refund_asked", asked);
        if (r.is_done()) to.add(r.done_at, "refund_done", std::move(asked));
    }
}

void add_acts(time_line& to, const ledger::order_story& s) {
    for (const ledger::audit_line& l : s.acts) {
        boost::system::error_code broken;
        boost::json::value details = boost::json::parse(l.details, broken);
        if (broken) details = boost::json::string(l.details);
        to.add(l.at, "act",
               {{"by", l.who.value}, {"action", l.action}, {"details", std::move(details)}});
    }
    for (const ledger::letter& l : s.letters) {
        to.add(l.first_at, "letter", {{"cause", l.cause}});
        if (l.state == ledger::letter_state::replayed || l.state == ledger::letter_state::discarded)
            to.add(l.last_at, "letter_decided",
                   {{"state", to_text(l.state)}, {"by", l.decided_by.value}, {"note", l.note}});
    }
}

}  // namespace

reply get_order_history(services& with, const call& c) {
    const auto told = with.ledger.search().story({static_cast<std::uint64_t>(c.ids.at(0))});
    if (!told) return failure_reply(told.error(), c.language);
    const auto attempts = with.ledger.attempts().of_order(told->order.no);
    if (!attempts) return failure_reply(attempts.error(), c.language);
    time_line lines;
    lines.add(told->order.created_at, "promised", {{"quantity", told->order.quantity}});
    for (const ledger::payment_attempt& a : *attempts)
        lines.add(a.at, "attempt",
                  {{"method", a.method}, {"asked", a.asked}, {"outcome", a.outcome}});
    add_money(lines, *told);
    for (const ledger::order_event_line& e : told->events)
        lines.add(e.at, "event",
                  {{"from", to_text(e.from)}, {"to", to_text(e.to)}, {"reason", e.reason}});
    add_acts(lines, *told);
    return json_reply(200, {{"order", to_json(told->order, with.showcase)},
                            {"buyer_id", told->order.buyer.value},
                            {"lines", lines.take()}});
}

}  // namespace floodgate::api
