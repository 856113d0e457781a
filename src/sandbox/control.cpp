#include "sandbox/control.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <fmt/format.h>

#include "base/iso_time.hpp"
#include "pay/yuan.hpp"
#include "sandbox/html.hpp"
#include "sandbox/json_fields.hpp"
#include "sandbox/path.hpp"
#include "sandbox/trade_acts.hpp"

namespace floodgate::sandbox {
namespace {

namespace json = boost::json;

json::object refund_summary(const refund& r, instant now) {
    return {{"request_no", r.request_no},
            {"number", r.number},
            {"amount_fen", r.amount.value},
            {"settled", r.is_settled(now)},
            {"result", to_text(r.result)}};
}

json::object trade_summary(const trade& t, instant now) {
    json::array refunds;
    for (const refund& r : t.refunds) refunds.push_back(refund_summary(r, now));
    json::object o{{"channel", to_text(t.channel)},
                   {"out_trade_no", t.out_trade_no},
                   {"state", to_text(t.state)},
                   {"trade_status", channel_word(t)},
                   {"trade_no", t.number},
                   {"amount_fen", t.amount.value},
                   {"subject", t.subject},
                   {"cashier", "/sandbox/cashier/" + t.code},
                   {"created_at", to_iso(t.created_at)},
                   {"expires_at", to_iso(t.expires_at)},
                   {"refunded_fen", t.refunded().value},
                   {"refunds", std::move(refunds)}};
    if (t.paid_at) o["paid_at"] = to_iso(*t.paid_at);
    if (t.closed_at) o["closed_at"] = to_iso(*t.closed_at);
    return o;
}

std::string overview_rows(const platform& p) {
    std::string rows;
    for (const trade* t : p.trades.newest_first(listed_max))
        rows += fmt::format(
            "<tr><td>{}</td><td><a href=\"/sandbox/cashier/{}\">{}</a></td><td>{}</td>"
            "<td>¥{}</td><td>{}</td><td>¥{}</td></tr>",
            to_text(t->channel), html_escaped(t->code), html_escaped(t->out_trade_no),
            html_escaped(t->subject), pay::to_yuan(t->amount), to_text(t->state),
            pay::to_yuan(t->refunded()));
    return rows;
}

response overview(const platform& p) {
    std::string switches_text;
    for (const auto& [name, value] : to_json(p.set))
        switches_text += fmt::format("{}: {}\n", std::string_view(name), json::serialize(value));
    return html_answer(
        200,
        html_page(
            "支付沙箱 · Payment sandbox",
            fmt::format("<h2>交易 · Trades</h2><table><tr><th>channel</th><th>out_trade_no"
                        "</th><th>subject</th><th>amount</th><th>state</th><th>refunded</th>"
                        "</tr>{}</table><p>{} notifies wait.</p>"
                        "<h2>开关 · Switches</h2><pre>{}</pre>"
                        "<p>curl -d '{{\"notify_copies\": 2}}' .../sandbox/switches</p>",
                        overview_rows(p), p.notifies.all().size(), html_escaped(switches_text))));
}

response list_trades(const platform& p, instant now) {
    json::array all;
    for (const trade* t : p.trades.newest_first(listed_max)) all.push_back(trade_summary(*t, now));
    return json_answer(200, {{"trades", std::move(all)}});
}

response list_notifies(const platform& p) {
    json::array all;
    for (const notify& n : p.notifies.all()) {
        if (all.size() == listed_max) break;
        all.push_back(json::object{{"channel", to_text(n.channel)},
                                   {"out_trade_no", n.out_trade_no},
                                   {"url", n.url},
                                   {"tries", n.tries},
                                   {"last_status", n.last_status},
                                   {"due", to_iso(n.due)}});
    }
    return json_answer(200, {{"notifies", std::move(all)}});
}

response answer_switches(platform& p, const request& r) {
    if (r.verb == "POST") {
        const auto wanted = parse_object(r.body);
        if (!wanted) return refusal(400, "the body must be a JSON object");
        const std::string why = change_switches(p.set, *wanted);
        if (!why.empty()) return refusal(400, why);
    } else if (r.verb != "GET") {
        return refusal(405, "use GET or POST");
    }
    return json_answer(200, to_json(p.set));
}

using act_function = act_outcome (*)(platform&, trade, instant);

act_function act_named(std::string_view name) {
    if (name == "open") return open_trade;
    if (name == "pay") return pay_trade;
    if (name == "decline") return decline_trade;
    if (name == "expire") return expire_trade;
    return name == "finish" ? finish_trade : nullptr;
}

response answer_trade(platform& p, const request& r, const std::vector<std::string>& parts,
                      instant now) {
    const auto wanted = parse_channel(query_value(r.query, "channel"));
    const trade* alipay = p.trades.find(channel::alipay, parts[1]);
    const trade* wechat = p.trades.find(channel::wechat, parts[1]);
    if (wanted == channel::alipay) wechat = nullptr;
    if (wanted == channel::wechat) alipay = nullptr;
    if (alipay != nullptr && wechat != nullptr)
        return refusal(409, "both channels have this number: add ?channel=");
    const trade* t = alipay != nullptr ? alipay : wechat;
    if (t == nullptr) return refusal(404, "there is no such trade");
    if (parts.size() == 2) {
        if (r.verb != "GET") return refusal(405, "use GET");
        return json_answer(200, trade_summary(*t, now));
    }
    const act_function act = parts.size() == 3 ? act_named(parts[2]) : nullptr;
    if (act == nullptr) return refusal(404, "there is no such act");
    if (r.verb != "POST") return refusal(405, "use POST");
    const act_outcome done = act(p, *t, now);
    json::object body = trade_summary(done.after, now);
    if (!done.done()) body["error"] = done.why;
    return json_answer(done.done() ? 200 : 409, body);
}

}  // namespace

response answer_control(platform& p, const request& r, const std::vector<std::string>& parts,
                        instant now) {
    const std::string what = parts.empty() ? "" : parts[0];
    if (what == "switches" && parts.size() == 1) return answer_switches(p, r);
    if (what == "trades" && parts.size() > 1) return answer_trade(p, r, parts, now);
    if (parts.size() > 1) return refusal(404, "there is no such call");
    if (r.verb != "GET") return refusal(405, "use GET");
    if (what.empty()) return overview(p);
    if (what == "trades") return list_trades(p, now);
    return what == "notifies" ? list_notifies(p) : refusal(404, "there is no such call");
}

}  // namespace floodgate::sandbox
