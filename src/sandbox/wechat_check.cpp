#include "sandbox/wechat_check.hpp"

#include "pay/wechat_text.hpp"
#include "sandbox/letter_case.hpp"

namespace floodgate::sandbox {
namespace {

using wechat_fault = std::optional<wechat_reply>;

constexpr std::size_t shown_text_max = 4096;

// 401 SIGN_ERROR in the form of the real one.
wechat_reply sign_error(std::string_view field, std::string_view issue) {
    wechat_reply r = wechat_failure(401, "SIGN_ERROR", "签名错误，请检查后再试");
    r.body["detail"] = boost::json::object{
        {"field", field}, {"location", "authorization"}, {"detail", {{"issue", issue}}}};
    return r;
}

// With the string that was built, which is the best aid in finding the mistake. The real one cuts
// it off sooner.
wechat_reply bad_signature(const pay::wechat_request& signed_request,
                           const pay::wechat_seal& seal) {
    const std::string text = pay::wechat_request_text(signed_request, seal);
    wechat_reply r = sign_error("signature", "sign not match");
    r.body["detail"].as_object()["sign_information"] =
        boost::json::object{{"method", signed_request.method},
                            {"url", signed_request.target},
                            {"sign_message_length", text.size()},
                            {"truncated_sign_message", text.substr(0, shown_text_max)}};
    return r;
}

wechat_fault check_seal(const request& r, const wechat_party& who, instant now) {
    auto seal = pay::parse_authorization(header_of(r.headers, "Authorization"));
    if (!seal) return sign_error("authorization", "the Authorization header is missing or broken");
    if (seal->mch_id != who.mch_id) return wechat_failure(400, "MCH_NOT_EXISTS", "商户号不存在");
    // A widely used client writes the serial in lower case. It is not part of what is signed.
    seal->serial = upper_case(std::move(seal->serial));
    const std::string target = r.target();
    const pay::wechat_request signed_request{r.verb, target, r.body};
    switch (pay::verify_wechat_request(signed_request, *seal, who.merchant, now)) {
    case pay::authenticity::genuine: return std::nullopt;
    case pay::authenticity::stale:
        return sign_error("timestamp", "the timestamp is 5 minutes or more away");
    case pay::authenticity::unknown_serial:
        return sign_error("serial_no", "the serial is not one of the merchant's certificates");
    case pay::authenticity::malformed: return sign_error("authorization", "a field is malformed");
    default: return bad_signature(signed_request, *seal);
    }
}

wechat_fault check_types(const request& r) {
    const std::string_view accept = header_of(r.headers, "Accept");
    const auto accepts = [&](std::string_view type) {
        return accept.find(type) != std::string_view::npos;
    };
    if (!accepts("application/json") && !accepts("*/*"))
        return parameter_failure("header", "Accept", "must be application/json");
    if (!r.body.empty() && media_type(r) != "application/json")
        return parameter_failure("header", "Content-Type", "must be application/json");
    return std::nullopt;
}

wechat_fault read_body(const request& r, boost::json::object& out) {
    if (r.verb == "GET") {
        if (r.body.empty()) return std::nullopt;
        return parameter_failure("body", "", "GET has no body");
    }
    auto body = parse_object(r.body);
    if (!body) return parameter_failure("body", "", "the body must be a JSON object");
    if (has_null(*body)) return parameter_failure("body", "", "null is not allowed");
    if (has_four_byte_character(r.body))
        return parameter_failure("body", "", "characters of four bytes are not allowed");
    out = std::move(*body);
    return std::nullopt;
}

}  // namespace

wechat_call check_wechat_request(const request& r, const wechat_party& who, instant now) {
    wechat_call call;
    call.fault = check_seal(r, who, now);
    if (!call.fault) call.fault = check_types(r);
    if (!call.fault) call.fault = read_body(r, call.body);
    return call;
}

}  // namespace floodgate::sandbox
