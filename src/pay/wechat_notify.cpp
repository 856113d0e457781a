#include "pay/wechat_notify.hpp"

#include <optional>

#include "pay/content_type.hpp"
#include "pay/json_values.hpp"
#include "pay/wechat_notice.hpp"
#include "sale/order_number.hpp"

namespace floodgate::pay {
namespace {

using boost::json::object;

// What was inside, or why it could not be opened.
struct opened_notify {
    std::string fault;
    std::string event;
    object content;
};

opened_notify sealed_by(authenticity how) { return {to_text(how), {}, {}}; }

opened_notify open_notify(const raw_message& m, const wechat_recipient& us, instant now) {
    const wechat_seal seal{
        .mch_id = {},
        .serial = std::string(m.serial),
        .timestamp = std::string(m.timestamp),
        .nonce = std::string(m.nonce),
        .signature = std::string(m.signature),
    };
    opened_notice opened = open_wechat_notice(m.body, seal, us.platform, us.shared, now);
    if (opened.how != authenticity::genuine) return sealed_by(opened.how);
    auto content = parse_json_object(opened.content);
    if (!content) return sealed_by(authenticity::malformed);
    return {{}, std::move(opened.notice.event_type), std::move(*content)};
}

bool is_payment(std::string_view event) { return event == "TRANSACTION.SUCCESS"; }
bool is_refund(std::string_view event) {
    return event == "REFUND.SUCCESS" || event == "REFUND.ABNORMAL" || event == "REFUND.CLOSED";
}

// Messages about refunds name neither the app nor the currency.
std::string fault_of_content(const opened_notify& n, const wechat_recipient& us, const message& m) {
    const bool payment = is_payment(n.event);
    if (!payment && !is_refund(n.event)) return "unknown_event";
    if (text_in(n.content, "mchid") != us.mch_id) return "other_merchant";
    if (payment && text_in(n.content, "appid") != us.app_id) return "other_app";
    if (m.order == sale::order_no{}) return "other_order";
    if (m.amount.value <= 0 || (m.refund && m.refund->amount.value <= 0)) return "bad_amount";
    if (payment && text_in(object_in(n.content, "amount"), "currency") != "CNY")
        return "other_currency";
    if (payment && text_in(n.content, "trade_state") != "SUCCESS") return "unknown_status";
    return {};
}

refund_news refund_in(const opened_notify& n) {
    const std::string status = text_in(n.content, "refund_status");
    refund_answer says = refund_answer::unsure;
    if (n.event == "REFUND.SUCCESS" && status == "SUCCESS") says = refund_answer::done;
    if (n.event == "REFUND.ABNORMAL") says = refund_answer::abnormal;
    if (n.event == "REFUND.CLOSED") says = refund_answer::closed;
    return {.number = text_in(n.content, "out_refund_no"),
            .amount = {integer_in(object_in(n.content, "amount"), "refund").value_or(0)},
            .says = says};
}

bool is_of_all(const refund_news& r, const message& m) {
    return r.says == refund_answer::done && r.amount == m.amount;
}

}  // namespace

message read_wechat_notify(const raw_message& m, const wechat_recipient& us, instant now) {
    if (!has_type(m.content_type, "application/json")) return {.fault = "wrong_content_type"};
    if (m.body.size() > wechat_notify_bytes_max) return {.fault = "too_long"};
    const opened_notify n = open_notify(m, us, now);
    if (!n.fault.empty()) return {.fault = n.fault};
    message out;
    out.order = sale::parse_order_no(text_in(n.content, "out_trade_no")).value_or(sale::order_no{});
    out.amount = {integer_in(object_in(n.content, "amount"), "total").value_or(0)};
    out.channel_no = text_in(n.content, "transaction_id");
    if (is_refund(n.event)) out.refund = refund_in(n);
    out.fault = fault_of_content(n, us, out);
    if (!out.fault.empty()) return out;
    if (is_payment(n.event)) out.says = trade::paid;
    if (out.refund && is_of_all(*out.refund, out)) out.says = trade::closed;
    return out;
}

}  // namespace floodgate::pay
