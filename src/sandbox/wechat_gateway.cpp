#include "sandbox/wechat_gateway.hpp"

#include <boost/json/array.hpp>

#include "pay/beijing_time.hpp"
#include "sandbox/path.hpp"
#include "sandbox/random_text.hpp"
#include "sandbox/wechat_check.hpp"
#include "sandbox/wechat_messages.hpp"
#include "sandbox/wechat_refunds.hpp"
#include "sandbox/wechat_trades.hpp"

namespace floodgate::sandbox {
namespace {

constexpr auto certificate_lifetime = std::chrono::days(365 * 5);

// The client may ask for a key by its serial.
const pay::wechat_signer& signer_for(const platform& p, const request& r) {
    const std::string_view wanted = header_of(r.headers, "Wechatpay-Serial");
    const wechat_party& who = *p.who.wechat;
    if (wanted == who.platform.serial) return who.platform;
    if (who.second_platform && wanted == who.second_platform->serial) return *who.second_platform;
    return wechat_signer_now(p);
}

wechat_reply list_certificates(const wechat_party& who, instant now) {
    if (who.certificates.empty())
        return wechat_failure(404, "RESOURCE_NOT_EXISTS", "no platform certificate is configured");
    boost::json::array all;
    for (const auto& [serial, pem] : who.certificates) {
        const pay::wechat_resource sealed = pay::encrypt_resource(
            pem, who.apiv3, random_letters(pay::wechat_cipher_nonce_bytes), "certificate");
        all.push_back(
            boost::json::object{{"serial_no", serial},
                                {"effective_time", pay::to_rfc3339(now - std::chrono::days(1))},
                                {"expire_time", pay::to_rfc3339(now + certificate_lifetime)},
                                {"encrypt_certificate",
                                 {{"algorithm", sealed.algorithm},
                                  {"nonce", sealed.nonce},
                                  {"associated_data", sealed.associated_data},
                                  {"ciphertext", sealed.ciphertext}}}});
    }
    return {200, {{"data", std::move(all)}}};
}

// Which call a path is; the word is that of the troubles. Empty: there is none.
std::string_view verb_of(const request& r, const std::vector<std::string>& parts) {
    const bool get = r.verb == "GET";
    if (parts.size() < 2 || parts[0] != "v3" || (!get && r.verb != "POST")) return {};
    if (parts[1] == "certificates") return get && parts.size() == 2 ? "wechat.certificates" : "";
    if (parts.size() < 4) return {};
    if (parts[1] == "refund" && parts[2] == "domestic" && parts[3] == "refunds") {
        if (parts.size() == 4 && !get) return "wechat.refund";
        return parts.size() == 5 && get ? "wechat.refund_query" : "";
    }
    if (parts[1] != "pay" || parts[2] != "transactions") return {};
    if (parts[3] == "native" && parts.size() == 4 && !get) return "wechat.native";
    const bool by_number = parts[3] == "out-trade-no" || parts[3] == "id";
    if (by_number && parts.size() == 5 && get) return "wechat.query";
    const bool is_close = parts[3] == "out-trade-no" && parts.size() == 6 && parts[5] == "close";
    return is_close && !get ? "wechat.close" : "";
}

wechat_reply run_call(platform& p, const request& r, std::string_view verb,
                      const boost::json::object& body, instant now) {
    const std::vector<std::string> parts = path_parts(r.path);
    if (verb == "wechat.native") return order_native(p, body, now);
    if (verb == "wechat.close") return close_by_own_number(p, parts[4], body, now);
    if (verb == "wechat.refund") return order_refund(p, body, now);
    if (verb == "wechat.refund_query") return query_refund_by_own_number(p, parts[4], now);
    if (verb == "wechat.certificates") return list_certificates(*p.who.wechat, now);
    const std::string mchid = query_value(r.query, "mchid");
    return parts[3] == "id" ? query_by_number(p, parts[4], mchid)
                            : query_by_own_number(p, parts[4], mchid);
}

response seal_reply(const wechat_reply& reply, const pay::wechat_signer& by, instant now) {
    response out;
    if (reply.status == 204) {
        out.status = 204;
    } else {
        out = json_answer(reply.status, reply.body);
    }
    out.headers = wechat_seal_headers(out.body, by, now);
    out.headers.emplace_back("Request-ID", random_letters(24));
    return out;
}

response spoiled_reply(const platform& p, const wechat_reply& reply, const trouble& how,
                       const pay::wechat_signer& by, instant now) {
    switch (how.kind) {
    case trouble_kind::http_500: return {500, "text/html", "Internal Server Error", {}};
    case trouble_kind::late: return seal_reply(reply, by, now);
    case trouble_kind::rubbish: return {200, "text/html", "<html>busy</html>", {}};
    case trouble_kind::limited:
        return seal_reply(wechat_failure(429, "FREQUENCY_LIMITED", "频率超限"), by, now);
    case trouble_kind::user_paying:
        return seal_reply(wechat_failure(202, "USER_PAYING", "用户支付中，需要输入密码"), by, now);
    case trouble_kind::wrong_key: {
        const pay::wechat_signer stranger{by.mch_id, by.serial, p.who.stranger};
        return seal_reply(reply, stranger, now);
    }
    case trouble_kind::unsigned_reply: {
        response bare = seal_reply(reply, by, now);
        bare.headers.clear();
        return bare;
    }
    case trouble_kind::unavailable:
    case trouble_kind::system_error: break;
    }
    return seal_reply(wechat_failure(500, "SYSTEM_ERROR", "系统异常，请稍后重试"), by, now);
}

}  // namespace

const pay::wechat_signer& wechat_signer_now(const platform& p) {
    const wechat_party& who = *p.who.wechat;
    return p.set.wechat_second_key && who.second_platform ? *who.second_platform : who.platform;
}

response answer_wechat(platform& p, const request& r, instant now) {
    const pay::wechat_signer& by = signer_for(p, r);
    const std::string_view verb = verb_of(r, path_parts(r.path));
    if (verb.empty())
        return seal_reply(wechat_failure(404, "NOT_FOUND", "请求的资源不存在"), by, now);
    const wechat_call call = check_wechat_request(r, *p.who.wechat, now);
    if (call.fault) return seal_reply(*call.fault, by, now);
    const std::optional<trouble> spoiled = p.set.take_trouble(verb);
    wechat_reply reply;
    if (does_work(spoiled)) reply = run_call(p, r, verb, call.body, now);
    if (!spoiled) return seal_reply(reply, by, now);
    response out = spoiled_reply(p, reply, *spoiled, by, now);
    out.delay = milliseconds(spoiled->delay_ms);
    return out;
}

}  // namespace floodgate::sandbox
