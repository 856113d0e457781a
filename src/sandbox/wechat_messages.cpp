#include "sandbox/wechat_messages.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "pay/base64.hpp"
#include "pay/beijing_time.hpp"
#include "pay/wechat_notice.hpp"
#include "sandbox/random_text.hpp"

namespace floodgate::sandbox {
namespace {

namespace json = boost::json;

constexpr std::size_t seal_nonce_characters = 32;
constexpr std::size_t probe_bytes = 256;

const char* trade_state_desc(std::string_view word) {
    if (word == "SUCCESS") return "支付成功";
    if (word == "REFUND") return "转入退款";
    return word == "CLOSED" ? "已关闭" : "订单未支付";
}

struct event_words {
    std::string type;           // "TRANSACTION.SUCCESS"
    std::string summary;        // for people
    std::string original_type;  // "transaction"
};

std::string notify_body(const wechat_party& who, const event_words& event, instant at,
                        const json::object& content) {
    return pay::to_json({.id = "EV-" + new_number("", at),
                         .create_time = pay::to_rfc3339(at),
                         .event_type = event.type,
                         .summary = event.summary,
                         .original_type = event.original_type,
                         .resource = pay::encrypt_resource(
                             json::serialize(content), who.apiv3,
                             random_letters(pay::wechat_cipher_nonce_bytes), event.original_type)});
}

header_list headers_of(const pay::wechat_seal& seal) {
    return {{"Wechatpay-Timestamp", seal.timestamp},
            {"Wechatpay-Nonce", seal.nonce},
            {"Wechatpay-Signature", seal.signature},
            {"Wechatpay-Serial", seal.serial},
            {"Wechatpay-Signature-Type", pay::wechat_scheme}};
}

}  // namespace

boost::json::object wechat_trade_json(const wechat_party& who, const trade& t) {
    const std::string word = channel_word(t);
    json::object o{{"appid", who.app_id},
                   {"mchid", who.mch_id},
                   {"out_trade_no", t.out_trade_no},
                   {"trade_state", word},
                   {"trade_state_desc", trade_state_desc(word)}};
    if (!t.passback.empty()) o["attach"] = t.passback;
    if (!t.paid_at) return o;
    o["transaction_id"] = t.number;
    o["trade_type"] = "NATIVE";
    o["bank_type"] = "OTHERS";
    o["success_time"] = pay::to_rfc3339(*t.paid_at);
    o["payer"] = json::object{{"openid", t.payer}};
    o["amount"] = json::object{{"total", t.amount.value},
                               {"payer_total", t.amount.value},
                               {"currency", "CNY"},
                               {"payer_currency", "CNY"}};
    return o;
}

boost::json::object wechat_refund_json(const trade& t, const refund& r, instant now) {
    const bool settled = r.is_settled(now);
    json::object o{{"refund_id", r.number},
                   {"out_refund_no", r.request_no},
                   {"transaction_id", t.number},
                   {"out_trade_no", t.out_trade_no},
                   {"channel", "ORIGINAL"},
                   {"user_received_account", "支付用户零钱"},
                   {"create_time", pay::to_rfc3339(r.asked_at)},
                   {"status", settled ? to_text(r.result) : "PROCESSING"},
                   {"funds_account", "AVAILABLE"},
                   {"promotion_detail", json::array()},
                   {"amount",
                    {{"total", t.amount.value},
                     {"refund", r.amount.value},
                     {"payer_total", t.amount.value},
                     {"payer_refund", r.amount.value},
                     {"settlement_refund", r.amount.value},
                     {"settlement_total", t.amount.value},
                     {"discount_refund", 0},
                     {"currency", "CNY"},
                     {"from", json::array()},
                     {"refund_fee", 0}}}};
    if (settled && r.result == refund_result::success)
        o["success_time"] = pay::to_rfc3339(r.settles_at);
    return o;
}

notify wechat_pay_notify(const wechat_party& who, const trade& t, instant now) {
    const event_words event{"TRANSACTION.SUCCESS", "支付成功", "transaction"};
    return {.channel = channel::wechat,
            .out_trade_no = t.out_trade_no,
            .url = t.notify_url,
            .content = notify_body(who, event, now, wechat_trade_json(who, t)),
            .due = now};
}

notify wechat_refund_notify(const wechat_party& who, const trade& t, const refund& r) {
    const std::string status = to_text(r.result);
    json::object content{{"mchid", who.mch_id},
                         {"out_trade_no", t.out_trade_no},
                         {"transaction_id", t.number},
                         {"out_refund_no", r.request_no},
                         {"refund_id", r.number},
                         {"refund_status", status},
                         {"user_received_account", "支付用户零钱"},
                         {"amount",
                          {{"total", t.amount.value},
                           {"refund", r.amount.value},
                           {"payer_total", t.amount.value},
                           {"payer_refund", r.amount.value}}}};
    const bool success = r.result == refund_result::success;
    if (success) content["success_time"] = pay::to_rfc3339(r.settles_at);
    const event_words event{"REFUND." + status, success ? "退款成功" : "退款失败", "refund"};
    return {.channel = channel::wechat,
            .out_trade_no = t.out_trade_no,
            .url = r.notify_url,
            .content = notify_body(who, event, r.settles_at, content),
            .due = r.settles_at};
}

header_list wechat_seal_headers(std::string_view body, const pay::wechat_signer& by, instant now) {
    return headers_of(
        pay::sign_wechat_message(body, by, now, random_letters(seal_nonce_characters)));
}

header_list wechat_probe_headers(const pay::wechat_signer& by, instant now) {
    pay::wechat_seal seal =
        pay::sign_wechat_message("", by, now, random_letters(seal_nonce_characters));
    seal.signature = "WECHATPAY/SIGNTEST/" + pay::to_base64(random_letters(probe_bytes));
    return headers_of(seal);
}

}  // namespace floodgate::sandbox
