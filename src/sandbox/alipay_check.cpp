#include "sandbox/alipay_check.hpp"

#include <algorithm>

#include "pay/alipay_text.hpp"
#include "pay/beijing_time.hpp"
#include "sandbox/json_fields.hpp"
#include "sandbox/letter_case.hpp"

namespace floodgate::sandbox {
namespace {

constexpr std::string_view page_method = "alipay.trade.page.pay";
constexpr std::string_view methods[] = {page_method, "alipay.trade.query", "alipay.trade.close",
                                        "alipay.trade.refund", "alipay.trade.fastpay.refund.query"};
constexpr std::size_t address_characters_max = 256;

using fault = std::optional<alipay_reply>;

// Query and body count as one, wherever a client puts a parameter.
fault merge_parameters(const request& r, pay::parameters& out) {
    pay::decoded_form query = pay::decode_form(r.query);
    pay::decoded_form body;
    if (!r.body.empty()) {
        if (media_type(r) != "application/x-www-form-urlencoded")
            return invalid_argument("isv.invalid-content-type", "the body must be a form");
        body = pay::decode_form(r.body);
    }
    for (const auto verdict : {query.verdict, body.verdict}) {
        if (verdict == pay::form_verdict::repeated_name)
            return invalid_argument("isv.suspected-attack", "参数重复");
        if (verdict != pay::form_verdict::good)
            return invalid_argument("isv.invalid-parameter", pay::to_text(verdict));
    }
    out = std::move(query.fields);
    if (!pay::add_fields(out, std::move(body.fields)))
        return invalid_argument("isv.suspected-attack", "参数重复");
    return std::nullopt;
}

fault check_identity(const alipay_request& r, const alipay_party& who) {
    if (r.value("method").empty()) return missing_argument("isv.missing-method");
    if (r.value("app_id").empty()) return missing_argument("isv.missing-app-id");
    if (r.value("app_id") != who.app_id)
        return invalid_argument("isv.invalid-app-id", "无效的AppID参数");
    if (!is_alipay_method(r.value("method")))
        return invalid_argument("isv.invalid-method", "不存在的方法名");
    return std::nullopt;
}

fault check_address(const alipay_request& r, const char* name) {
    const std::string address = r.value(name);
    const bool good =
        address.empty() || (address.size() <= address_characters_max && is_web_address(address));
    if (good) return std::nullopt;
    return invalid_argument("isv.invalid-parameter",
                            std::string(name) + " must be http(s) with up to 256 characters");
}

fault check_common(const alipay_request& r) {
    if (r.value("sign_type").empty()) return missing_argument("isv.missing-signature-type");
    if (r.value("sign_type") != "RSA2")
        return invalid_argument("isv.invalid-signature-type", "无效签名类型: RSA2 only");
    if (r.value("sign").empty()) return missing_argument("isv.missing-signature");
    if (r.value("charset").empty()) return missing_argument("isv.missing-charset");
    if (lower_case(r.value("charset")) != "utf-8")
        return invalid_argument("isv.invalid-charset", "字符集错误: utf-8 only");
    if (!r.value("format").empty() && lower_case(r.value("format")) != "json")
        return invalid_argument("isv.invalid-format", "无效的数据格式: JSON only");
    if (r.value("version").empty()) return missing_argument("isv.missing-version");
    if (r.value("version") != "1.0")
        return invalid_argument("isv.invalid-version", "the version must be 1.0");
    if (r.value("timestamp").empty()) return missing_argument("isv.missing-timestamp");
    if (!pay::parse_beijing_text(r.value("timestamp")))
        return invalid_argument("isv.invalid-timestamp", "非法的时间戳参数");
    for (const char* name : {"notify_url", "return_url"})
        if (fault f = check_address(r, name)) return f;
    return std::nullopt;
}

fault check_signature(const alipay_request& r, const alipay_party& who) {
    const pay::authenticity how = pay::verify_alipay_request(r.all, who.merchant);
    if (how == pay::authenticity::genuine) return std::nullopt;
    if (how == pay::authenticity::malformed)
        return invalid_argument("isv.invalid-parameter", "a parameter's name is not plain");
    return invalid_argument("isv.invalid-signature",
                            "验签出错，建议检查签名字符串或签名私钥与应用公钥是否匹配，"
                            "网关生成的验签字符串为：" +
                                pay::alipay_request_text(r.all));
}

fault check_content(alipay_request& r) {
    if (r.value("biz_content").empty()) return missing_argument("isv.missing-biz-content");
    auto biz = parse_object(r.value("biz_content"));
    if (!biz) return invalid_argument("isv.invalid-parameter", "biz_content is no JSON object");
    r.biz = std::move(*biz);
    return std::nullopt;
}

}  // namespace

bool is_alipay_method(std::string_view method) { return std::ranges::count(methods, method) > 0; }

bool is_alipay_page(std::string_view method) { return method == page_method; }

std::string alipay_request::value(std::string_view name) const {
    const auto found = all.find(name);
    return found == all.end() ? std::string() : found->second;
}

alipay_request check_alipay_request(const request& r, const alipay_party& who) {
    alipay_request out;
    out.fault = merge_parameters(r, out.all);
    if (!out.fault) out.fault = check_identity(out, who);
    out.may_sign = out.value("app_id") == who.app_id && is_alipay_method(out.value("method"));
    if (!out.fault) out.fault = check_common(out);
    if (!out.fault) out.fault = check_signature(out, who);
    if (!out.fault) out.fault = check_content(out);
    return out;
}

}  // namespace floodgate::sandbox
