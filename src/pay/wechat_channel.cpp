#include "pay/wechat_channel.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/cut_text.hpp"
#include "base/log.hpp"
#include "pay/beijing_time.hpp"
#include "pay/form.hpp"
#include "pay/json_values.hpp"
#include "pay/wechat_client.hpp"
#include "pay/wechat_notify.hpp"
#include "pay/wechat_settings.hpp"

namespace floodgate::pay {
namespace {

using boost::json::object;

constexpr const char* native_target = "/v3/pay/transactions/native";
constexpr std::size_t reason_bytes_max = 80;
constexpr const char* refunds_target = "/v3/refund/domestic/refunds";
constexpr std::size_t code_url_bytes_max = 512;

// A genuine reply that contradicts the order is worth an operator's attention: nothing is done.
bool mismatched(const sale::order& o, const char* field) {
    log::error("pay.reply_mismatched", "method", "wechat", "order", trade_number(o), "field",
               field);
    return false;
}

bool is_amount(const object& amount, const char* name, sale::fen wanted, const sale::order& o) {
    return integer_in(amount, name) == wanted.value || mismatched(o, name);
}

// The platform has refused the order because of the state of its trade.
bool is_about_state(std::string_view code) {
    constexpr std::string_view codes[] = {"ORDERCLOSED", "ORDERPAID", "OUTTRADENOUSED",
                                          "INVALIDREQUEST"};
    return std::ranges::count(codes, code) > 0;
}

class wechat_channel final : public channel {
public:
    wechat_channel(wechat_settings s, store::http_caller& by, const floodgate::clock& clock)
        : client_(std::move(s.account), by, clock),
          clock_(clock),
          app_id_(std::move(s.app_id)),
          notify_url_(std::move(s.notify_url)),
          shared_(s.shared) {}

    std::string_view method() const override { return "wechat"; }
    result<checkout> begin(const sale::order& o) override;
    trade query(const sale::order& o) override;
    trade close(const sale::order& o) override;
    refund_answer refund(const sale::order& o, const refund_request& r) override;

    bool sends_messages() const override { return true; }
    message read(const raw_message& m, instant now) override {
        return read_wechat_notify(m, {mch_id(), app_id_, client_.who().platform, shared_}, now);
    }
    message_answer answer(bool taken) const override {
        if (taken) return {.status = 200};
        return {.status = 400,
                .content_type = "application/json",
                .body = R"({"code":"FAIL","message":"not accepted"})"};
    }

private:
    const std::string& mch_id() const { return client_.who().merchant.mch_id; }
    std::string trade_target(const sale::order& o) const {
        return "/v3/pay/transactions/out-trade-no/" + trade_number(o);
    }
    result<checkout> refused_begin(const sale::order& o, const wechat_answer& a);
    trade trade_in(const object& reply, const sale::order& o);
    refund_answer refund_in(const object& reply, const sale::order& o,
                            const refund_request& r) const;
    refund_answer look_up_refund(const sale::order& o, const refund_request& r);

    wechat_client client_;
    const floodgate::clock& clock_;
    const std::string app_id_, notify_url_;
    const apiv3_key shared_;
};

// Ordering again gives a new code of the same trade, if every field is the same.
result<checkout> wechat_channel::begin(const sale::order& o) {
    if (o.amount.value <= 0) return errc::invalid;
    const std::string number = trade_number(o);
    const wechat_answer a =
        client_.post("begin", native_target,
                     {{"appid", app_id_},
                      {"mchid", mch_id()},
                      {"description", "Order " + number},
                      {"out_trade_no", number},
                      {"time_expire", to_rfc3339(o.pay_by)},
                      {"notify_url", notify_url_},
                      {"amount", {{"total", o.amount.value}, {"currency", "CNY"}}}});
    if (!a.known) return errc::store_unavailable;
    if (!a.is(200)) return refused_begin(o, a);
    std::string code_url = text_in(a.body, "code_url");
    if (code_url.empty() || code_url.size() > code_url_bytes_max) return errc::store_unavailable;
    return checkout{.code_url = std::move(code_url)};
}

result<checkout> wechat_channel::refused_begin(const sale::order& o, const wechat_answer& a) {
    const trade now = is_about_state(a.code) ? query(o) : trade::unsure;
    if (now == trade::paid) return checkout{.paid = true};
    if (now == trade::closed) return errc::conflict;
    log::warning("pay.trade_refused", "method", "wechat", "order", trade_number(o), "status",
                 a.status, "code", shown_word(a.code));
    return errc::store_unavailable;
}

trade wechat_channel::trade_in(const object& reply, const sale::order& o) {
    const bool is_ours =
        (text_in(reply, "out_trade_no") == trade_number(o) || mismatched(o, "out_trade_no")) &&
        (text_in(reply, "mchid") == mch_id() || mismatched(o, "mchid")) &&
        (text_in(reply, "appid") == app_id_ || mismatched(o, "appid"));
    if (!is_ours) return trade::unsure;
    const std::string state = text_in(reply, "trade_state");
    if (state == "NOTPAY" || state == "USERPAYING" || state == "PAYERROR") return trade::open;
    if (state == "CLOSED") return trade::closed;
    // It was paid, and money was given back although the ledger knows of no payment: by somebody in
    // the channel's console. A person must decide what the order is.
    if (state == "REFUND") mismatched(o, "trade_state");
    if (state != "SUCCESS") return trade::unsure;
    const object& amount = object_in(reply, "amount");
    if (text_in(amount, "currency") != "CNY")
        mismatched(o, "amount.currency");
    else if (is_amount(amount, "total", o.amount, o))
        return trade::paid;
    return trade::unsure;
}

trade wechat_channel::query(const sale::order& o) {
    const wechat_answer a =
        client_.get("query", trade_target(o) + "?mchid=" + percent_encoded(mch_id()));
    if (a.is(200)) return trade_in(a.body, o);
    if (a.is(404) && a.code == "ORDERNOTEXIST") return missing_trade(o, clock_.now());
    return trade::unsure;
}

// Whatever the call says, only the trade itself tells whether it can still be paid: closing a
// number that was never ordered succeeds as well, and a slow order may come after it.
trade wechat_channel::close(const sale::order& o) {
    const wechat_answer a =
        client_.post("close", trade_target(o) + "/close", {{"mchid", mch_id()}});
    if (!a.known) return trade::unsure;
    const trade after = query(o);
    return after == trade::open ? trade::unsure : after;
}

refund_answer wechat_channel::refund_in(const object& reply, const sale::order& o,
                                        const refund_request& r) const {
    const bool is_ours =
        (text_in(reply, "out_refund_no") == r.number || mismatched(o, "out_refund_no")) &&
        (text_in(reply, "out_trade_no") == trade_number(o) || mismatched(o, "out_trade_no"));
    if (!is_ours) return refund_answer::unsure;
    const std::string status = text_in(reply, "status");
    if (status == "PROCESSING") return refund_answer::under_way;
    if (status == "CLOSED" || status == "ABNORMAL") {
        log::error("pay.refund_stuck", "method", "wechat", "order", trade_number(o), "status",
                   status);
        return status == "CLOSED" ? refund_answer::closed : refund_answer::abnormal;
    }
    const object& amount = object_in(reply, "amount");
    const bool is_done = status == "SUCCESS" && is_amount(amount, "refund", r.amount, o) &&
                         is_amount(amount, "total", o.amount, o);
    return is_done ? refund_answer::done : refund_answer::unsure;
}

refund_answer wechat_channel::look_up_refund(const sale::order& o, const refund_request& r) {
    const wechat_answer a = client_.get(
        "refund_query", fmt::format("{}/{}", refunds_target, percent_encoded(r.number)));
    return a.is(200) ? refund_in(a.body, o, r) : refund_answer::unsure;
}

// Asking again with the same number gives the same refund and its present status.
refund_answer wechat_channel::refund(const sale::order& o, const refund_request& r) {
    object call{
        {"out_trade_no", trade_number(o)},
        {"out_refund_no", r.number},
        {"notify_url", notify_url_},
        {"amount", {{"refund", r.amount.value}, {"total", o.amount.value}, {"currency", "CNY"}}}};
    if (!r.reason.empty()) call["reason"] = cut_text(r.reason, reason_bytes_max);
    const wechat_answer a = client_.post("refund", refunds_target, call);
    if (a.is(200)) return refund_in(a.body, o, r);
    if (!a.known || a.status >= 500) return refund_answer::unsure;
    log::warning("pay.refund_refused", "method", "wechat", "order", trade_number(o), "code",
                 shown_word(a.code));
    return look_up_refund(o, r);
}

}  // namespace

std::unique_ptr<channel> open_wechat(const wechat_files& files, store::http_caller& by,
                                     const floodgate::clock& clock) {
    return std::make_unique<wechat_channel>(load_wechat_settings(files), by, clock);
}

}  // namespace floodgate::pay
