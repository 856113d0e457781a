#include "pay/alipay_client.hpp"

#include <boost/json/serialize.hpp>

#include <fmt/format.h>

#include "pay/alipay_response.hpp"
#include "pay/alipay_text.hpp"
#include "pay/beijing_time.hpp"
#include "pay/call_recording.hpp"
#include "pay/json_values.hpp"
#include "store/http/http_caller.hpp"

namespace floodgate::pay {
namespace {

constexpr const char* content_name = "biz_content";
constexpr const char* business_failed = "40004";

// The common parameters go into the query: Alipay wants to know the charset before it reads the
// body.
store::http_question question_of(const std::string& gateway, parameters request) {
    const std::string content = std::move(request[content_name]);
    request.erase(content_name);
    return {.verb = "POST",
            .url = alipay_page_address(gateway, request),
            .headers = {{"Content-Type", "application/x-www-form-urlencoded;charset=utf-8"},
                        {"Accept", "application/json"}},
            .body = encode_form({{content_name, content}})};
}

// The word for the journal; see call_recording.hpp.
std::string_view asked_by(std::string_view method) {
    constexpr std::pair<std::string_view, std::string_view> words[] = {
        {"alipay.trade.query", "query"},
        {"alipay.trade.close", "close"},
        {"alipay.trade.refund", "refund"},
        {"alipay.trade.fastpay.refund.query", "refund_query"}};
    for (const auto& [name, word] : words)
        if (method == name) return word;
    return method;
}

void note(noted_call& call, const alipay_answer& a) {
    const call_outcome came = !a.known      ? call_outcome::garbled
                              : a.is_done() ? call_outcome::answered
                                            : call_outcome::refused;
    call.came_to(came, joined_words({a.code, a.sub_code, text_in(a.fields, "trade_status"),
                                     text_in(a.fields, "refund_status")}));
}

}  // namespace

parameters alipay_client::request(std::string_view method,
                                  const boost::json::object& content) const {
    return {{"app_id", who_.app_id},
            {"method", std::string(method)},
            {"format", "JSON"},
            {"charset", "utf-8"},
            {"version", "1.0"},
            {"timestamp", to_beijing_text(clock_.now())},
            {content_name, boost::json::serialize(content)}};
}

alipay_answer alipay_client::call(std::string_view method, const boost::json::object& content) {
    parameters all = request(method, content);
    sign_alipay_request(all, who_.merchant);
    noted_call noted(asked_by(method), clock_);
    const store::http_answer answer = by_.ask(question_of(who_.gateway, std::move(all)));
    if (answer.status == 200) {
        alipay_answer a = heard(method, answer.body);
        note(noted, a);
        return a;
    }
    const std::string why =
        answer.status == 0 ? answer.error : fmt::format("HTTP {}", answer.status);
    noted.came_to(answer.status == 0 ? call_outcome::no_answer : call_outcome::garbled, why);
    log_.failed(method, why);
    return {};
}

alipay_answer alipay_client::heard(std::string_view method, std::string_view body) {
    const alipay_response reply = verify_alipay_response(body, method, who_.platform);
    auto fields = parse_json_object(reply.node);
    alipay_answer a{.known = reply.how == authenticity::genuine && fields.has_value(),
                    .code = {},
                    .sub_code = {},
                    .fields = std::move(fields).value_or(boost::json::object())};
    a.code = text_in(a.fields, "code");
    a.sub_code = text_in(a.fields, "sub_code");
    if (a.is_done() || (a.known && a.code == business_failed)) {
        log_.succeeded();
        return a;
    }
    const char* how = a.known ? "refused" : to_text(reply.how);
    log_.failed(method, fmt::format("{} {} {}", how, shown_word(a.code), shown_word(a.sub_code)));
    return a.known ? std::move(a) : alipay_answer{};
}

}  // namespace floodgate::pay
