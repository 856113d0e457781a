#include "pay/alipay_notify.hpp"

#include "pay/alipay_text.hpp"
#include "pay/content_type.hpp"
#include "pay/form.hpp"
#include "pay/yuan.hpp"
#include "sale/order_number.hpp"

namespace floodgate::pay {
namespace {

constexpr std::string_view form_type = "application/x-www-form-urlencoded";
constexpr std::string_view trade_kind = "trade_status_sync";

std::string field(const parameters& all, std::string_view name) {
    const auto found = all.find(name);
    return found == all.end() ? std::string() : found->second;
}

trade said_by(std::string_view status) {
    if (status == "TRADE_SUCCESS" || status == "TRADE_FINISHED") return trade::paid;
    if (status == "TRADE_CLOSED") return trade::closed;
    return status == "WAIT_BUYER_PAY" ? trade::open : trade::unsure;
}

// Later messages about a trade with refunds may have the sum of them, but no number.
std::optional<refund_news> refund_in(const parameters& all) {
    const auto sum = parse_yuan(field(all, "refund_fee"));
    std::string number = field(all, "out_biz_no");
    if (!sum || number.empty()) return std::nullopt;
    return refund_news{
        .number = std::move(number), .amount = *sum, .is_sum = true, .says = refund_answer::done};
}

const char* fault_of_origin(const parameters& all, const alipay_recipient& us) {
    const authenticity how = verify_alipay_message(all, us.platform);
    if (how != authenticity::genuine) return to_text(how);
    if (field(all, "app_id") != us.app_id) return "other_app";
    const std::string kind = field(all, "notify_type");
    return kind.empty() || kind == trade_kind ? "" : "other_kind";
}

}  // namespace

message read_alipay_notify(const raw_message& m, const alipay_recipient& us) {
    if (!has_type(m.content_type, form_type)) return {.fault = "wrong_content_type"};
    const decoded_form form = decode_form(m.body);
    if (form.verdict != form_verdict::good) return {.fault = to_text(form.verdict)};
    message out{.fault = fault_of_origin(form.fields, us)};
    if (!out.fault.empty()) return out;

    const auto order = sale::parse_order_no(field(form.fields, "out_trade_no"));
    const auto amount = parse_yuan(field(form.fields, "total_amount"));
    const trade says = said_by(field(form.fields, "trade_status"));
    out.order = order.value_or(sale::order_no{});
    out.amount = amount.value_or(sale::fen{});
    out.channel_no = field(form.fields, "trade_no");
    if (!order) {
        out.fault = "other_order";
    } else if (!amount) {
        out.fault = "bad_amount";
    } else if (field(form.fields, "seller_id") != us.seller_id) {
        out.fault = "other_seller";
    } else if (field(form.fields, "notify_type").empty()) {
        out.fault = "not_a_notify";
    } else if (says == trade::unsure) {
        out.fault = "unknown_status";
    } else {
        out.says = says;
        out.refund = refund_in(form.fields);
    }
    return out;
}

}  // namespace floodgate::pay
