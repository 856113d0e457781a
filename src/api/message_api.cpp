#include "api/message_api.hpp"

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

reply take_message(services& with, const call& c, std::string_view method) {
    pay::raw_message raw{.content_type = {}, .body = c.body};
    if (c.message) {
        raw.content_type = c.message->content_type;
        raw.timestamp = c.message->timestamp;
        raw.nonce = c.message->nonce;
        raw.signature = c.message->signature;
        raw.serial = c.message->serial;
    }
    auto verdict = with.messages.take(method, raw, c.now);
    if (!verdict) return problem_reply(problem::not_found, c.language);
    if (verdict->refused) charge(with, c, verdict->word);
    pay::message_answer& a = verdict->answer;
    if (a.content_type.empty()) a.content_type = "text/plain";  // of nothing
    return {.status = static_cast<int>(a.status),
            .content_type = std::move(a.content_type),
            .body = std::move(a.body)};
}

reply see_other(const std::string& where) {
    return {.status = 303, .headers = "Location: " + where + "\r\n"};
}

}  // namespace

reply take_alipay_message(services& with, const call& c) { return take_message(with, c, "alipay"); }
reply take_wechat_message(services& with, const call& c) { return take_message(with, c, "wechat"); }

reply return_from_alipay(services& with, const call& c) {
    const auto no =
        with.messages.returning("alipay", {.content_type = form_type, .body = c.query}, c.now);
    if (no) return see_other("/api/v1/orders/" + sale::to_text(*no));
    charge(with, c, "bad_return");
    return see_other("/");
}

}  // namespace floodgate::api
