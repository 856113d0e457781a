#include "sandbox/wechat_trades.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pay/beijing_time.hpp"
#include "sandbox/random_text.hpp"
#include "sandbox/trade_acts.hpp"
#include "sandbox/wechat_messages.hpp"

namespace floodgate::sandbox {
namespace {

using namespace std::chrono_literals;

constexpr auto code_lifetime = 2h;
constexpr auto order_lifetime = std::chrono::days(7);
constexpr std::int64_t native_amount_max = 10'000'000'000;
constexpr std::size_t native_code_characters = 9;
constexpr text_limits identity{.characters_max = 32};
constexpr text_limits any_text{.characters_max = 64};

// Fields that are allowed, and of no interest here.
constexpr const char* other_fields[] = {"goods_tag", "support_fapiao", "detail", "scene_info",
                                        "settle_info"};

void check_notify_url(const platform& p, json_fields& fields, const std::string& url) {
    const bool bad = !is_web_address(url) || url.find_first_of("?#") != std::string::npos;
    if (bad) fields.blame("notify_url", "must be an http(s) address without a query");
    if (p.set.wechat_refuse_local_urls && is_local_address(url))
        fields.blame("notify_url", "must be reachable from outside");
}

instant read_expiry(const platform& p, json_fields& fields, instant now) {
    const std::string text = fields.text("time_expire", need::optional, any_text);
    if (text.empty()) return now + order_lifetime;
    const auto at = pay::parse_rfc3339(text);
    if (!at || *at > now + order_lifetime) {
        fields.blame("time_expire", "must be RFC 3339, within 7 days");
        return now;
    }
    return std::max(*at, now + p.set.wechat_expiry_min);
}

trade read_native_order(const platform& p, const boost::json::object& body, field_fault& fault,
                        instant now) {
    json_fields fields(body, fault);
    trade t{.channel = channel::wechat, .state = trade_state::waiting, .created_at = now};
    fields.skip("appid");
    fields.skip("mchid");
    for (const char* name : other_fields) fields.skip(name);
    t.subject = fields.text("description", need::required, {.characters_max = 127});
    t.out_trade_no = fields.text("out_trade_no", need::required,
                                 {.characters_min = 6, .characters_max = 32, .also = "_-|*"});
    t.notify_url = fields.text("notify_url", need::required, {.characters_max = 255});
    check_notify_url(p, fields, t.notify_url);
    t.passback = fields.text("attach", need::optional, {.characters_max = 128});
    t.expires_at = read_expiry(p, fields, now);
    t.closes_at = now + order_lifetime;
    json_fields amount = fields.object("amount", need::required);
    t.amount = {amount.integer("total", need::required, {1, native_amount_max})};
    const std::string currency = amount.text("currency", need::optional, {.characters_max = 16});
    if (!currency.empty() && currency != "CNY") amount.blame("currency", "must be CNY");
    if (p.set.wechat_refuse_unknown_fields) {
        amount.refuse_unknown();
        fields.refuse_unknown();
    }
    t.fingerprint = fmt::format("{}\n{}\n{}\n{}\n{}", t.amount.value, t.subject, t.notify_url,
                                t.passback, fields.text("time_expire", need::optional, any_text));
    return t;
}

// Why the trade that is there already cannot be ordered again.
std::optional<wechat_reply> native_obstacle(const trade& before, const trade& wanted) {
    if (before.state == trade_state::closed)
        return wechat_failure(400, "ORDER_CLOSED", "订单已关闭");
    if (before.state != trade_state::waiting)
        return wechat_failure(403, "OUT_TRADE_NO_USED", "商户订单号重复");
    if (before.fingerprint != wanted.fingerprint)
        return wechat_failure(400, "INVALID_REQUEST", "请求重入时，参数与首次请求时不一致");
    return std::nullopt;
}

// appid and mchid must be ours. They are checked before everything else.
std::optional<wechat_reply> check_merchant(const platform& p, const boost::json::object& body,
                                           bool with_app) {
    const wechat_party& who = *p.who.wechat;
    field_fault fault;
    json_fields fields(body, fault);
    const std::string mch = fields.text("mchid", need::required, identity);
    const std::string app = with_app ? fields.text("appid", need::required, identity) : who.app_id;
    if (!fault.field.empty()) return parameter_failure(fault);
    if (mch != who.mch_id)
        return parameter_failure("body", "/mchid", "differs from the one in Authorization");
    if (app != who.app_id)
        return wechat_failure(400, "APPID_MCHID_NOT_MATCH", "appid和mch_id不匹配");
    return std::nullopt;
}

wechat_reply not_found() { return wechat_failure(404, "ORDER_NOT_EXIST", "订单不存在"); }

wechat_reply query_answer(const platform& p, const trade* t, const std::string& mchid) {
    if (mchid != p.who.wechat->mch_id)
        return parameter_failure("query", "mchid", "must be the one in Authorization");
    return t == nullptr ? not_found() : wechat_reply{200, wechat_trade_json(*p.who.wechat, *t)};
}

}  // namespace

wechat_reply order_native(platform& p, const boost::json::object& body, instant now) {
    if (auto no = check_merchant(p, body, true)) return *no;
    field_fault fault;
    trade t = read_native_order(p, body, fault, now);
    if (!fault.field.empty()) return parameter_failure(fault);
    if (const trade* before = p.trades.find(channel::wechat, t.out_trade_no)) {
        if (auto no = native_obstacle(*before, t)) return *no;
        t = *before;
    }
    // A new code each time: the one before is dead.
    t.code = random_letters(native_code_characters);
    t.code_expires_at = now + code_lifetime;
    p.trades.keep(t);
    return {200, {{"code_url", "weixin://wxpay/bizpayurl?pr=" + t.code}}};
}

wechat_reply query_by_own_number(const platform& p, const std::string& out_trade_no,
                                 const std::string& mchid) {
    return query_answer(p, p.trades.find(channel::wechat, out_trade_no), mchid);
}

wechat_reply query_by_number(const platform& p, const std::string& number,
                             const std::string& mchid) {
    return query_answer(p, p.trades.find_number(channel::wechat, number), mchid);
}

wechat_reply close_by_own_number(platform& p, const std::string& out_trade_no,
                                 const boost::json::object& body, instant now) {
    if (auto no = check_merchant(p, body, false)) return *no;
    const trade* t = p.trades.find(channel::wechat, out_trade_no);
    if (t == nullptr)
        return p.set.wechat_close_unknown_is_fine ? wechat_reply{204, {}} : not_found();
    if (t->state == trade_state::closed || close_trade(p, *t, now).done()) return {204, {}};
    return wechat_failure(400, p.set.wechat_close_refusal, "订单已支付");
}

}  // namespace floodgate::sandbox
