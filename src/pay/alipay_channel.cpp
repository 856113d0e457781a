#include "pay/alipay_channel.hpp"

#include <stdexcept>

#include "base/log.hpp"
#include "pay/alipay_client.hpp"
#include "pay/alipay_notify.hpp"
#include "pay/alipay_text.hpp"
#include "pay/beijing_time.hpp"
#include "pay/json_values.hpp"
#include "pay/settings_check.hpp"
#include "pay/yuan.hpp"

namespace floodgate::pay {
namespace {

using boost::json::object;

constexpr const char* trade_not_exist = "ACQ.TRADE_NOT_EXIST";
constexpr const char* system_error = "ACQ.SYSTEM_ERROR";

// A genuine reply that contradicts the order is worth an operator's attention: nothing is done.
void log_mismatch(const sale::order& o, const char* field) {
    log::error("pay.reply_mismatched", "method", "alipay", "order", trade_number(o), "field",
               field);
}

bool names_order(const object& reply, const sale::order& o) {
    if (text_in(reply, "out_trade_no") == trade_number(o)) return true;
    log_mismatch(o, "out_trade_no");
    return false;
}

trade trade_in(const object& reply, const sale::order& o) {
    if (!names_order(reply, o)) return trade::unsure;
    const std::string status = text_in(reply, "trade_status");
    if (status == "WAIT_BUYER_PAY") return trade::open;
    // Never paid, or paid and given back in full. Neither can be paid any more.
    if (status == "TRADE_CLOSED") return trade::closed;
    if (status != "TRADE_SUCCESS" && status != "TRADE_FINISHED") return trade::unsure;
    if (parse_yuan(text_in(reply, "total_amount")) == o.amount) return trade::paid;
    log_mismatch(o, "total_amount");
    return trade::unsure;
}

class alipay_channel final : public channel {
public:
    alipay_channel(alipay_account who, const alipay_files& files, store::http_caller& by,
                   const floodgate::clock& clock)
        : client_(std::move(who), by, clock),
          clock_(clock),
          seller_id_(files.seller_id),
          notify_url_(files.notify_url),
          return_url_(files.return_url) {}

    std::string_view method() const override { return "alipay"; }
    // No network call: the trade comes into being when the buyer opens the page.
    result<checkout> begin(const sale::order& o) override;
    trade query(const sale::order& o) override;
    trade close(const sale::order& o) override;
    refund_answer refund(const sale::order& o, const refund_request& r) override;

    bool sends_messages() const override { return true; }
    message read(const raw_message& m, instant) override {
        return read_alipay_notify(m, {client_.who().app_id, seller_id_, client_.who().platform});
    }
    message_answer answer(bool taken) const override {
        return {.status = 200, .content_type = "text/plain", .body = taken ? "success" : "fail"};
    }

private:
    bool is_refunded(const sale::order& o, const refund_request& r);

    alipay_client client_;
    const floodgate::clock& clock_;
    const std::string seller_id_, notify_url_, return_url_;
};

result<checkout> alipay_channel::begin(const sale::order& o) {
    if (o.amount.value <= 0) return errc::invalid;
    const std::string number = trade_number(o);
    parameters page =
        client_.request("alipay.trade.page.pay", {{"out_trade_no", number},
                                                  {"product_code", "FAST_INSTANT_TRADE_PAY"},
                                                  {"total_amount", to_yuan(o.amount)},
                                                  {"subject", "Order " + number},
                                                  {"time_expire", to_beijing_text(o.pay_by)}});
    page["notify_url"] = notify_url_;
    page["return_url"] = return_url_;
    sign_alipay_request(page, client_.who().merchant);
    const std::string& gateway = client_.who().gateway;
    return checkout{.redirect = alipay_page_address(gateway, page),
                    .form = alipay_page_form(gateway, page)};
}

trade alipay_channel::query(const sale::order& o) {
    const alipay_answer a = client_.call("alipay.trade.query", {{"out_trade_no", trade_number(o)}});
    if (a.is_done()) return trade_in(a.fields, o);
    return a.sub_code == trade_not_exist ? missing_trade(o, clock_.now()) : trade::unsure;
}

// Whatever the call says, only the trade itself tells whether it can still be paid: a trade that no
// buyer has opened cannot be closed, and its page can still be opened.
trade alipay_channel::close(const sale::order& o) {
    const alipay_answer a = client_.call("alipay.trade.close", {{"out_trade_no", trade_number(o)}});
    if (!a.known) return trade::unsure;
    const trade after = query(o);
    return after == trade::open ? trade::unsure : after;
}

refund_answer alipay_channel::refund(const sale::order& o, const refund_request& r) {
    boost::json::object call{{"out_trade_no", trade_number(o)},
                             {"out_request_no", r.number},
                             {"refund_amount", to_yuan(r.amount)}};
    if (!r.reason.empty()) call["refund_reason"] = r.reason;
    const alipay_answer a = client_.call("alipay.trade.refund", call);
    if (!a.known || (!a.is_done() && (a.code != "40004" || a.sub_code == system_error)))
        return refund_answer::unsure;
    // refund_fee is the sum of all refunds of the trade, so it says enough only of a single one.
    const bool moved_now = a.is_done() && text_in(a.fields, "fund_change") == "Y" &&
                           names_order(a.fields, o) && r.amount == o.amount &&
                           parse_yuan(text_in(a.fields, "refund_fee")) == r.amount;
    if (moved_now || is_refunded(o, r)) return refund_answer::done;
    if (!a.is_done())
        log::warning("pay.refund_refused", "method", "alipay", "order", trade_number(o), "code",
                     shown_word(a.sub_code));
    return refund_answer::unsure;
}

// Whether the refund with our number is settled. A reply without a status means: not, or not yet.
bool alipay_channel::is_refunded(const sale::order& o, const refund_request& r) {
    const alipay_answer a =
        client_.call("alipay.trade.fastpay.refund.query",
                     {{"out_trade_no", trade_number(o)}, {"out_request_no", r.number}});
    if (!a.is_done() || text_in(a.fields, "refund_status") != "REFUND_SUCCESS") return false;
    if (!names_order(a.fields, o)) return false;
    if (text_in(a.fields, "out_request_no") != r.number) {
        log_mismatch(o, "out_request_no");
        return false;
    }
    if (parse_yuan(text_in(a.fields, "refund_amount")) == r.amount) return true;
    log_mismatch(o, "refund_amount");
    return false;
}

alipay_account load_account(const alipay_files& files) {
    require_text(files.app_id, "pay.alipay.app_id");
    require_text(files.seller_id, "pay.alipay.seller_id");
    require_address(files.gateway, "pay.alipay.gateway");
    require_callback(files.notify_url, "pay.alipay.notify_url");
    if (!files.return_url.empty()) require_callback(files.return_url, "pay.alipay.return_url");
    require_text(files.private_key_file, "pay.alipay.private_key_file");
    require_text(files.platform_public_key_file, "pay.alipay.platform_public_key_file");
    alipay_account who{files.app_id, files.gateway, private_key::from_file(files.private_key_file),
                       public_key::from_file(files.platform_public_key_file)};
    if (matches(who.merchant, who.platform))
        throw std::invalid_argument(
            "pay.alipay.platform_public_key_file holds the merchant's own public key: put Alipay's "
            "public key there, which its console shows after yours was uploaded");
    require_real_key(who.merchant, "pay.alipay.private_key_file", files.sandbox);
    require_real_key(who.platform, "pay.alipay.platform_public_key_file", files.sandbox);
    return who;
}

}  // namespace

std::unique_ptr<channel> open_alipay(const alipay_files& files, store::http_caller& by,
                                     const floodgate::clock& clock) {
    return std::make_unique<alipay_channel>(load_account(files), files, by, clock);
}

}  // namespace floodgate::pay
