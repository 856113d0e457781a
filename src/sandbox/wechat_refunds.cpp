#include "sandbox/wechat_refunds.hpp"

#include "sandbox/trade_acts.hpp"
#include "sandbox/wechat_messages.hpp"

namespace floodgate::sandbox {
namespace {

constexpr std::int64_t refund_amount_max = 10'000'000'000;

struct refund_order {
    std::string transaction_id;
    std::string out_trade_no;
    std::int64_t total = 0;
    refund wanted;
};

refund_order read_refund_order(const platform& p, const boost::json::object& body,
                               field_fault& fault) {
    json_fields fields(body, fault);
    refund_order o;
    o.transaction_id = fields.text("transaction_id", need::optional, {.characters_max = 32});
    o.out_trade_no = fields.text("out_trade_no", need::optional, {.characters_max = 32});
    if (o.transaction_id.empty() && o.out_trade_no.empty())
        fields.blame("out_trade_no", "or transaction_id is needed");
    o.wanted.request_no =
        fields.text("out_refund_no", need::required, {.characters_max = 64, .also = "_-|*@"});
    o.wanted.reason = fields.text("reason", need::optional, {.characters_max = 80});
    o.wanted.notify_url = fields.text("notify_url", need::optional, {.characters_max = 256});
    if (!o.wanted.notify_url.empty() && !is_web_address(o.wanted.notify_url))
        fields.blame("notify_url", "must be an http(s) address");
    fields.skip("funds_account");
    fields.skip("goods_detail");
    json_fields amount = fields.object("amount", need::required);
    o.wanted.amount = {amount.integer("refund", need::required, {1, refund_amount_max})};
    o.total = amount.integer("total", need::required, {1, refund_amount_max});
    if (amount.text("currency", need::required, {.characters_max = 16}) != "CNY")
        amount.blame("currency", "must be CNY");
    amount.skip("from");
    if (p.set.wechat_refuse_unknown_fields) {
        amount.refuse_unknown();
        fields.refuse_unknown();
    }
    return o;
}

wechat_reply refused_refund(std::string_view message) {
    return wechat_failure(400, "INVALID_REQUEST", message);
}

wechat_reply no_such_resource(std::string_view message) {
    return wechat_failure(404, "RESOURCE_NOT_EXISTS", message);
}

// The number is taken: the same refund again, or a mistake.
wechat_reply repeated_refund(const trade& t, const refund_order& o, instant now) {
    const refund& before = *t.find_refund(o.wanted.request_no);
    const bool same_trade = (o.transaction_id.empty() || o.transaction_id == t.number) &&
                            (o.out_trade_no.empty() || o.out_trade_no == t.out_trade_no);
    if (!same_trade || before.amount != o.wanted.amount || o.total != t.amount.value)
        return refused_refund("同一退款单号的请求参数不一致");
    return {200, wechat_refund_json(t, before, now)};
}

}  // namespace

wechat_reply order_refund(platform& p, const boost::json::object& body, instant now) {
    field_fault fault;
    const refund_order o = read_refund_order(p, body, fault);
    if (!fault.field.empty()) return parameter_failure(fault);
    if (const trade* before = p.trades.find_wechat_refund(o.wanted.request_no))
        return repeated_refund(*before, o, now);
    const trade* t = o.transaction_id.empty()
                         ? p.trades.find(channel::wechat, o.out_trade_no)
                         : p.trades.find_number(channel::wechat, o.transaction_id);
    if (t == nullptr || !t->paid_at || now < *t->paid_at + p.set.wechat_refund_after)
        return no_such_resource("订单不存在或未支付");
    if (!o.out_trade_no.empty() && o.out_trade_no != t->out_trade_no)
        return refused_refund("transaction_id和out_trade_no不一致");
    if (o.total != t->amount.value) return refused_refund("订单金额不一致");
    if (t->refunds.size() >= wechat_refunds_max)
        return wechat_failure(403, "RULE_LIMIT", "退款次数超过限制");
    if (!t->refunds.empty() && now < t->refunds.back().asked_at + p.set.wechat_refund_gap)
        return wechat_failure(429, "FREQUENCY_LIMITED", "频率超限");
    const act_outcome done = refund_trade(p, *t, o.wanted, now);
    if (!done.done()) return refused_refund("退款金额大于可退金额");
    return {200, wechat_refund_json(done.after, done.after.refunds.back(), now)};
}

wechat_reply query_refund_by_own_number(const platform& p, const std::string& out_refund_no,
                                        instant now) {
    const trade* t = p.trades.find_wechat_refund(out_refund_no);
    if (t == nullptr) return no_such_resource("退款单不存在");
    return {200, wechat_refund_json(*t, *t->find_refund(out_refund_no), now)};
}

}  // namespace floodgate::sandbox
