#include "sandbox/wechat_gateway.hpp"

#include <boost/json/array.hpp>

#include <algorithm>

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
constexpr std::size_t request_id_characters = 24;

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

// Older pages, and some servers, spell these codes without underscores.
std::string old_spelling(std::string code) {
    constexpr std::string_view both_ways[] = {"SYSTEM_ERROR", "ORDER_NOT_EXIST", "RULE_LIMIT",
                                              "NOT_ENOUGH"};
    if (std::ranges::count(both_ways, code) > 0) std::erase(code, '_');
    return code;
}

// How replies to one request are signed.
struct reply_sealer {
    const pay::wechat_signer& by;
    instant now;
    bool old_codes;

    response seal(const wechat_reply& reply) const {
        response out;
        if (reply.status == 204) {
            out.status = 204;
        } else {
            boost::json::object body = reply.body;
            if (old_codes && body.contains("code"))
                body["code"] = old_spelling(std::string(body.at("code").as_string()));
            out = json_answer(reply.status, body);
        }
        out.headers = wechat_seal_headers(out.body, by, now);
        out.headers.emplace_back("Request-ID", random_letters(request_id_characters));
        return out;
    }
};

response spoiled_reply(const platform& p, const wechat_reply& reply, const trouble& how,
                       const reply_sealer& true_one) {
    switch (how.kind) {
    case trouble_kind::http_500: return {500, "text/html", "Internal Server Error", {}};
    case trouble_kind::late: return true_one.seal(reply);
    case trouble_kind::rubbish: return {200, "text/html", "<html>busy</html>", {}};
    case trouble_kind::limited:
        return true_one.seal(wechat_failure(429, "FREQUENCY_LIMITED", "频率超限"));
    case trouble_kind::user_paying:
        return true_one.seal(wechat_failure(202, "USER_PAYING", "用户支付中，需要输入密码"));
    case trouble_kind::wrong_key: {
        const pay::wechat_signer stranger{"", true_one.by.serial, p.who.stranger};
        return reply_sealer{stranger, true_one.now, true_one.old_codes}.seal(reply);
    }
    case trouble_kind::unsigned_reply: {
        response bare = true_one.seal(reply);
        bare.headers.clear();
        return bare;
    }
    case trouble_kind::unavailable:
    case trouble_kind::system_error: break;
    }
    return true_one.seal(wechat_failure(500, "SYSTEM_ERROR", "系统异常，请稍后重试"));
}

}  // namespace

const pay::wechat_signer& wechat_signer_now(const platform& p) {
    const wechat_party& who = *p.who.wechat;
    return p.set.wechat_second_key && who.second_platform ? *who.second_platform : who.platform;
}

response answer_wechat(platform& p, const request& r, instant now) {
    const reply_sealer by{signer_for(p, r), now, p.set.wechat_old_codes};
    const std::string_view verb = verb_of(r, path_parts(r.path));
    if (verb.empty()) return by.seal(wechat_failure(404, "NOT_FOUND", "请求的资源不存在"));
    const wechat_call call = check_wechat_request(r, *p.who.wechat, now);
    if (call.fault) return by.seal(*call.fault);
    const std::optional<trouble> spoiled = p.set.take_trouble(verb);
    wechat_reply reply;
    if (does_work(spoiled)) reply = run_call(p, r, verb, call.body, now);
    if (!spoiled) return by.seal(reply);
    response out = spoiled_reply(p, reply, *spoiled, by);
    out.delay = milliseconds(spoiled->delay_ms);
    return out;
}

}  // namespace floodgate::sandbox
