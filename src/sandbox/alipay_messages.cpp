#include "sandbox/alipay_messages.hpp"

#include <fmt/format.h>

#include "pay/alipay_text.hpp"
#include "pay/beijing_time.hpp"
#include "pay/yuan.hpp"
#include "sandbox/random_text.hpp"

namespace floodgate::sandbox {
namespace {

constexpr std::size_t notify_id_characters = 34;

void add_payment(pay::parameters& m, const trade& t) {
    const std::string amount = pay::to_yuan(t.amount);
    m["gmt_payment"] = pay::to_beijing_text(*t.paid_at);
    for (const char* name : {"receipt_amount", "invoice_amount", "buyer_pay_amount"})
        m[name] = amount;
    m["point_amount"] = "0.00";
    m["fund_bill_list"] =
        fmt::format(R"([{{"amount":"{}","fundChannel":"ALIPAYACCOUNT"}}])", amount);
}

// A name twice would be a suspected attack, and no parameter may be empty.
pay::parameters common_fields(const alipay_party& who, const trade& t) {
    return {{"app_id", who.app_id},
            {"auth_app_id", who.app_id},
            {"charset", "utf-8"},
            {"version", "1.0"},
            {"out_trade_no", t.out_trade_no},
            {"trade_no", t.number},
            {"seller_id", who.seller_id},
            {"total_amount", pay::to_yuan(t.amount)}};
}

}  // namespace

std::string alipay_logon_id() { return "buy***@sandbox.com"; }

notify alipay_notify(const alipay_party& who, const trade& t, const refund* r, instant now) {
    pay::parameters m = common_fields(who, t);
    m["notify_type"] = "trade_status_sync";
    m["notify_id"] = random_letters(notify_id_characters);
    m["buyer_id"] = t.payer;
    m["buyer_logon_id"] = alipay_logon_id();
    m["trade_status"] = channel_word(t);
    m["subject"] = t.subject;
    m["gmt_create"] = pay::to_beijing_text(t.created_at);
    if (!t.body.empty()) m["body"] = t.body;
    if (!t.passback.empty()) m["passback_params"] = t.passback;
    if (t.paid_at) add_payment(m, t);
    if (t.closed_at) m["gmt_close"] = pay::to_beijing_text(*t.closed_at);
    if (r != nullptr) {
        m["refund_fee"] = pay::to_yuan(t.refunded());
        m["gmt_refund"] = pay::to_beijing_text(r->settles_at);
        m["out_biz_no"] = r->request_no;
    }
    return {.channel = channel::alipay,
            .out_trade_no = t.out_trade_no,
            .url = t.notify_url,
            .content = pay::encode_form(m),
            .due = now};
}

std::string signed_alipay_form(const notify& n, const pay::private_key& by, instant now) {
    pay::parameters m = pay::decode_form(n.content).fields;
    m["notify_time"] = pay::to_beijing_text(now);
    pay::sign_alipay_message(m, by);
    return pay::encode_form(m);
}

std::string alipay_return_address(const alipay_party& who, const trade& t, instant now) {
    pay::parameters m = common_fields(who, t);
    m["method"] = "alipay.trade.page.pay.return";
    m["timestamp"] = pay::to_beijing_text(now);
    pay::sign_alipay_message(m, who.platform);
    return pay::alipay_page_address(t.return_url, m);
}

}  // namespace floodgate::sandbox
