#include "sandbox/alipay_methods.hpp"

#include "pay/beijing_time.hpp"
#include "pay/yuan.hpp"
#include "sandbox/alipay_messages.hpp"
#include "sandbox/json_fields.hpp"
#include "sandbox/trade_acts.hpp"

namespace floodgate::sandbox {
namespace {

// What all methods share: which trade.
struct trade_question {
    const trade* found = nullptr;
    alipay_reply fault;  // if none was found
};

// trade_no wins if both are given. A trade that no buyer has opened does not exist.
trade_question ask_for_trade(const platform& p, json_fields& fields, const field_fault& fault) {
    const std::string number = fields.text("trade_no", need::optional, {.characters_max = 64});
    const std::string own =
        fields.text("out_trade_no", need::optional, {.characters_max = 64, .also = "_"});
    if (!fault.field.empty() || (number.empty() && own.empty()))
        return {nullptr, business_failure("ACQ.INVALID_PARAMETER")};
    const trade* t = number.empty() ? p.trades.find(channel::alipay, own)
                                    : p.trades.find_number(channel::alipay, number);
    if (t == nullptr || t->state == trade_state::asked)
        return {nullptr, business_failure("ACQ.TRADE_NOT_EXIST")};
    return {t, {}};
}

alipay_reply about(const trade& t) {
    alipay_reply r;
    r.fields = {{"trade_no", t.number}, {"out_trade_no", t.out_trade_no}};
    return r;
}

alipay_reply query_trade(platform& p, const boost::json::object& biz) {
    field_fault fault;
    json_fields fields(biz, fault);
    const trade_question asked = ask_for_trade(p, fields, fault);
    if (asked.found == nullptr) return asked.fault;
    const trade& t = *asked.found;
    alipay_reply r = about(t);
    r.fields["trade_status"] = channel_word(t);
    r.fields["total_amount"] = pay::to_yuan(t.amount);
    r.fields["buyer_logon_id"] = alipay_logon_id();
    r.fields["buyer_user_id"] = t.payer;
    const std::string paid = t.paid_at ? pay::to_yuan(t.amount) : "0.00";
    for (const char* name : {"buyer_pay_amount", "receipt_amount", "invoice_amount"})
        r.fields[name] = paid;
    r.fields["point_amount"] = "0.00";
    if (t.paid_at) r.fields["send_pay_date"] = pay::to_beijing_text(*t.paid_at);
    return r;
}

alipay_reply close_by_merchant(platform& p, const boost::json::object& biz, instant now) {
    field_fault fault;
    json_fields fields(biz, fault);
    const trade_question asked = ask_for_trade(p, fields, fault);
    if (asked.found == nullptr) return asked.fault;
    const act_outcome closed = close_trade(p, *asked.found, now);
    return closed.done() ? about(closed.after) : business_failure(p.set.alipay_close_refusal);
}

// A refused refund still says that nothing was refunded.
alipay_reply refund_failure(std::string_view sub_code) {
    alipay_reply r = business_failure(sub_code);
    r.fields["refund_fee"] = "0.00";
    return r;
}

// Why this trade can give nothing back; empty if it can.
std::string_view refund_obstacle(trade_state s) {
    switch (s) {
    case trade_state::asked: return "ACQ.TRADE_NOT_EXIST";
    case trade_state::waiting: return "ACQ.TRADE_STATUS_ERROR";
    case trade_state::closed: return "ACQ.TRADE_HAS_CLOSE";
    case trade_state::refunded: return "ACQ.REASON_TRADE_REFUND_FEE_ERR";
    case trade_state::finished: return "ACQ.TRADE_HAS_FINISHED";
    case trade_state::paid: break;
    }
    return {};
}

alipay_reply refund_reply(const trade& t, const refund& r, bool moved_now) {
    alipay_reply reply = about(t);
    reply.fields["buyer_logon_id"] = alipay_logon_id();
    reply.fields["buyer_user_id"] = t.payer;
    reply.fields["fund_change"] = moved_now ? "Y" : "N";
    reply.fields["refund_fee"] = pay::to_yuan(t.refunded());
    reply.fields["gmt_refund_pay"] = pay::to_beijing_text(r.asked_at);
    return reply;
}

alipay_reply refund_by_merchant(platform& p, const boost::json::object& biz, instant now) {
    field_fault fault;
    json_fields fields(biz, fault);
    const trade_question asked = ask_for_trade(p, fields, fault);
    refund wanted;
    wanted.amount = fields.yuan("refund_amount", need::required);
    wanted.request_no = fields.text("out_request_no", need::optional, {.characters_max = 64});
    wanted.reason = fields.text("refund_reason", need::optional, {.characters_max = 256});
    if (!fault.field.empty())
        return business_failure("ACQ.INVALID_PARAMETER", fault.field + " " + fault.why);
    if (asked.found == nullptr) return asked.fault;
    const trade& t = *asked.found;
    if (wanted.request_no.empty()) {
        if (wanted.amount != t.amount) return refund_failure("ACQ.REFUND_AMT_NOT_EQUAL_TOTAL");
        wanted.request_no = t.out_trade_no;
    }
    if (const refund* before = t.find_refund(wanted.request_no)) {
        if (before->amount != wanted.amount) return refund_failure("ACQ.DISCORDANT_REPEAT_REQUEST");
        return refund_reply(t, *before, false);
    }
    if (const auto why = refund_obstacle(t.state); !why.empty()) return refund_failure(why);
    const act_outcome done = refund_trade(p, t, wanted, now);
    if (!done.done()) return refund_failure("ACQ.REASON_TRADE_REFUND_FEE_ERR");
    const refund& made = done.after.refunds.back();
    return refund_reply(done.after, made, made.is_settled(now));
}

alipay_reply query_refund(platform& p, const boost::json::object& biz, instant now) {
    field_fault fault;
    json_fields fields(biz, fault);
    const trade_question asked = ask_for_trade(p, fields, fault);
    const std::string no = fields.text("out_request_no", need::required, {.characters_max = 64});
    if (!fault.field.empty())
        return business_failure("ACQ.INVALID_PARAMETER", fault.field + " " + fault.why);
    if (asked.found == nullptr) return asked.fault;
    alipay_reply reply;
    const refund* r = asked.found->find_refund(no);
    // Success without a status means: not refunded, or not known yet.
    if (r == nullptr || !r->is_settled(now)) return reply;
    reply = about(*asked.found);
    reply.fields["out_request_no"] = no;
    reply.fields["total_amount"] = pay::to_yuan(asked.found->amount);
    reply.fields["refund_amount"] = pay::to_yuan(r->amount);
    reply.fields["refund_status"] = "REFUND_SUCCESS";
    if (!r->reason.empty()) reply.fields["refund_reason"] = r->reason;
    return reply;
}

}  // namespace

alipay_reply run_alipay_method(platform& p, std::string_view method, const boost::json::object& biz,
                               instant now) {
    if (method == "alipay.trade.query") return query_trade(p, biz);
    if (method == "alipay.trade.close") return close_by_merchant(p, biz, now);
    if (method == "alipay.trade.refund") return refund_by_merchant(p, biz, now);
    return query_refund(p, biz, now);
}

}  // namespace floodgate::sandbox
