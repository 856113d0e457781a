#include "sandbox/delivery.hpp"

#include "sandbox/alipay_messages.hpp"
#include "sandbox/wechat_gateway.hpp"
#include "sandbox/wechat_messages.hpp"

namespace floodgate::sandbox {
namespace {

const std::pair<std::string, std::string> form_type{
    "Content-Type", "application/x-www-form-urlencoded; charset=utf-8"};
const std::pair<std::string, std::string> json_type{"Content-Type", "application/json"};

bool use_up(std::int64_t& count) {
    if (count == 0) return false;
    --count;
    return true;
}

header_list with_type(header_list headers) {
    headers.push_back(json_type);
    return headers;
}

}  // namespace

std::vector<outgoing> prepare_try(platform& p, const notify& n, instant now) {
    const bool wrong = use_up(p.set.notify_wrong_key);
    outgoing message{n.id, n.channel, n.url, {}, {}};
    if (n.channel == channel::alipay) {
        if (!p.who.alipay) return {};
        message.headers = {form_type};
        message.body = signed_alipay_form(n, wrong ? p.who.stranger : p.who.alipay->platform, now);
        return {message};
    }
    if (!p.who.wechat) return {};
    std::vector<outgoing> all;
    pay::wechat_signer by = wechat_signer_now(p);
    message.body = n.content;
    if (use_up(p.set.notify_probes)) {
        outgoing probe = message;
        probe.id = 0;
        probe.headers = with_type(wechat_probe_headers(by, now));
        all.push_back(std::move(probe));
    }
    if (wrong) by.key = p.who.stranger;
    message.headers = with_type(wechat_seal_headers(message.body, by, now));
    all.push_back(std::move(message));
    return all;
}

bool is_taken(channel c, const posted& answer) {
    if (c == channel::alipay) return answer.status == 200 && answer.body == "success";
    return answer.status == 200 || answer.status == 204;
}

}  // namespace floodgate::sandbox
