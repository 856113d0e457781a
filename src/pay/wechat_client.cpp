#include "pay/wechat_client.hpp"

#include <boost/json/serialize.hpp>

#include <fmt/format.h>

#include <optional>

#include "base/random_id.hpp"
#include "pay/call_recording.hpp"
#include "pay/json_values.hpp"
#include "store/http/http_caller.hpp"

namespace floodgate::pay {
namespace {

constexpr std::size_t request_nonce_bytes = 16;

std::string without_underscores(std::string code) {
    std::erase(code, '_');
    return code;
}

wechat_seal seal_of(const store::http_answer& a) {
    return {.mch_id = {},
            .serial = std::string(a.header("Wechatpay-Serial")),
            .timestamp = std::string(a.header("Wechatpay-Timestamp")),
            .nonce = std::string(a.header("Wechatpay-Nonce")),
            .signature = std::string(a.header("Wechatpay-Signature"))};
}

// The first part of the path that is no number of an order: "/v3/pay/transactions".
std::string_view shown_call(std::string_view target) {
    constexpr std::string_view families[] = {"/v3/pay/transactions/native", "/v3/pay/transactions",
                                             "/v3/refund/domestic/refunds"};
    for (const std::string_view family : families)
        if (target.starts_with(family)) return family;
    return "/v3";
}

}  // namespace

wechat_answer wechat_client::post(std::string_view asked, const std::string& target,
                                  const boost::json::object& body) {
    return noted(asked, "POST", target, boost::json::serialize(body));
}

wechat_answer wechat_client::noted(std::string_view asked, const std::string& verb,
                                   const std::string& target, const std::string& body) {
    noted_call made(asked, clock_);
    wechat_answer a = call(verb, target, body);
    if (!a.known) {
        made.came_to(a.status == 0 ? call_outcome::no_answer : call_outcome::garbled, a.trouble);
        return a;
    }
    const bool done = a.status >= 200 && a.status < 300;
    made.came_to(done ? call_outcome::answered : call_outcome::refused,
                 joined_words({std::to_string(a.status), a.code, text_in(a.body, "trade_state"),
                               text_in(a.body, "status")}));
    return a;
}

wechat_answer wechat_client::call(const std::string& verb, const std::string& target,
                                  const std::string& body) {
    const wechat_seal seal = sign_wechat_request({verb, target, body}, who_.merchant, clock_.now(),
                                                 random_id(request_nonce_bytes));
    store::http_question q{.verb = verb,
                           .url = who_.base + target,
                           .headers = {{"Authorization", to_authorization(seal)},
                                       {"Accept", "application/json"},
                                       {"User-Agent", "floodgate"}},
                           .body = body};
    if (!body.empty()) q.headers.emplace_back("Content-Type", "application/json");
    // Asks for the key that we have, in case the platform is changing its keys.
    if (who_.platform.size() == 1)
        q.headers.emplace_back("Wechatpay-Serial", who_.platform.begin()->first);
    const store::http_answer answer = by_.ask(q);
    if (answer.status == 0) {
        log_.failed(shown_call(target), answer.error);
        return {.trouble = answer.error};
    }
    const authenticity how =
        verify_wechat_message(answer.body, seal_of(answer), who_.platform, clock_.now());
    auto fields =
        answer.body.empty() ? std::optional(boost::json::object()) : parse_json_object(answer.body);
    wechat_answer a{.known = how == authenticity::genuine && fields.has_value(),
                    .status = answer.status,
                    .code = {},
                    .body = std::move(fields).value_or(boost::json::object())};
    a.code = without_underscores(text_in(a.body, "code"));
    if (a.known && a.status < 500 && a.status != 401) {
        log_.succeeded();
        return a;
    }
    std::string why = fmt::format("HTTP {} {} {}", a.status, to_text(how), shown_word(a.code));
    log_.failed(shown_call(target), why);
    if (a.known) return a;
    return {.status = a.status, .trouble = std::move(why)};
}

}  // namespace floodgate::pay
