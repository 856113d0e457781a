#include "pay/wechat_client.hpp"

#include <boost/json/serialize.hpp>

#include <fmt/format.h>

#include <optional>

#include "base/random_id.hpp"
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

wechat_answer wechat_client::post(const std::string& target, const boost::json::object& body) {
    return call("POST", target, boost::json::serialize(body));
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
        return {};
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
    log_.failed(shown_call(target),
                fmt::format("HTTP {} {} {}", a.status, to_text(how), shown_word(a.code)));
    return a.known ? std::move(a) : wechat_answer{};
}

}  // namespace floodgate::pay
