#include "api/message_api.hpp"

#include <algorithm>
#include <iterator>

#include "api/failure.hpp"
#include "guard/addresses.hpp"
#include "sale/order_number.hpp"

namespace floodgate::api {
namespace {

constexpr const char* form_type = "application/x-www-form-urlencoded";

void charge(services& with, const call& c, std::string_view verdict) {
    with.events.note_message(verdict, {{}, c.client, c.path}, c.now);
    // If nothing is left, the next message is refused before it is read.
    if (!c.client_is_trusted_proxy)
        (void)with.message_by_address.try_take(guard::limiter_key(c.client), c.now);
}

// Empty: this channel is not in use.
std::optional<shop::message_verdict> judge(services& with, const call& c, std::string_view method,
                                           const pay::raw_message& raw) {
    auto v = with.messages.take(method, raw, c.now);
    if (v && v->refused) charge(with, c, v->word);
    // It is the channel's own, so its address must not run out of messages.
    if (v && v->odd) with.events.note_message(v->word, {{}, c.client, c.path}, c.now);
    return v;
}

reply take_message(services& with, const call& c, std::string_view method) {
    pay::raw_message raw{.content_type = {}, .body = c.body};
    if (c.message) {
        raw.content_type = c.message->content_type;
        raw.timestamp = c.message->timestamp;
        raw.nonce = c.message->nonce;
        raw.signature = c.message->signature;
        raw.serial = c.message->serial;
        raw.header_prefix = "Wechatpay-";
    }
    auto verdict = judge(with, c, method, raw);
    if (!verdict) return problem_reply(problem::not_found, c.language);
    pay::message_answer& a = verdict->answer;
    if (a.content_type.empty()) a.content_type = "text/plain";  // of nothing
    return {.status = static_cast<int>(a.status),
            .content_type = std::move(a.content_type),
            .body = std::move(a.body)};
}

struct refused_word {
    std::string_view word;  // of the verdict
    problem as;
};
constexpr refused_word refused_words[] = {
    {"without_signature", problem::bad_signature},
    {"stale", problem::bad_signature},
    {"bad_signature", problem::bad_signature},
    {"unknown_order", problem::not_found},
    {"other_order", problem::not_found},
    {"other_amount", problem::other_amount},
    {"bad_amount", problem::other_amount},
    {"late", problem::late_payment},
    {"too_long", problem::payload_too_large},
    {"wrong_content_type", problem::unsupported_media_type},
};

// The sender has not logged in, so a 401 must not ask for a token.
reply refuse_signature(const call& c) {
    reply r = problem_reply(problem::bad_signature, c.language);
    r.headers = "WWW-Authenticate: Floodgate-Signature\r\n";
    return r;
}

reply external_reply(const call& c, const shop::message_verdict& v) {
    const auto* const found = std::ranges::find(refused_words, v.word, &refused_word::word);
    if (found != std::end(refused_words))
        return found->as == problem::bad_signature ? refuse_signature(c)
                                                   : problem_reply(found->as, c.language);
    if (v.taken) return json_reply(200, {{"status", "paid"}});
    if (!v.refused) return failure_reply(make_error_code(errc::store_unavailable), c.language);
    return problem_reply(problem::bad_request, c.language,
                         {{"detail",
                           "the body must have order_no, a text of digits, and "
                           "amount_fen, a whole number, and nothing else"}});
}

reply see_other(const std::string& where) {
    return {.status = 303, .headers = "Location: " + where + "\r\n"};
}

}  // namespace

reply take_alipay_message(services& with, const call& c) { return take_message(with, c, "alipay"); }
reply take_wechat_message(services& with, const call& c) { return take_message(with, c, "wechat"); }

reply take_external_message(services& with, const call& c) {
    pay::raw_message raw{.content_type = {}, .body = c.body};
    if (c.message) {
        raw.content_type = c.message->content_type;
        raw.timestamp = c.message->own_timestamp;
        raw.signature = c.message->own_signature;
        raw.header_prefix = "Floodgate-";
    }
    const auto verdict = judge(with, c, "external", raw);
    if (!verdict) return problem_reply(problem::not_found, c.language);
    return external_reply(c, *verdict);
}

reply return_from_alipay(services& with, const call& c) {
    const auto no =
        with.messages.returning("alipay", {.content_type = form_type, .body = c.query}, c.now);
    if (no) return see_other("/orders/" + sale::to_text(*no));
    charge(with, c, "bad_return");
    return see_other("/");
}

}  // namespace floodgate::api
