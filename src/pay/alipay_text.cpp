#include "pay/alipay_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pay/html_text.hpp"

namespace floodgate::pay {
namespace {

constexpr const char* rsa2 = "RSA2";
constexpr const char* posted = "biz_content";

// A character that parameter names have.
bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

std::string joined(const parameters& all, bool with_sign_type) {
    std::string text;
    for (const auto& [name, value] : all) {
        if (value.empty() || name == "sign" || (name == "sign_type" && !with_sign_type)) continue;
        if (!text.empty()) text.push_back('&');
        text.append(name).append("=").append(value);
    }
    return text;
}

void prepare(parameters& all) {
    std::erase_if(all, [](const auto& p) { return p.second.empty(); });
    all["sign_type"] = rsa2;
}

std::string_view value_of(const parameters& all, std::string_view name) {
    const auto found = all.find(name);
    return found == all.end() ? std::string_view() : found->second;
}

authenticity verify_parameters(const parameters& all, const std::string& text,
                               const public_key& key) {
    if (value_of(all, "sign").empty()) return authenticity::without_signature;
    for (const auto& [name, value] : all)
        if (name.empty() || !std::ranges::all_of(name, is_plain)) return authenticity::malformed;
    if (value_of(all, "sign_type") != rsa2) return authenticity::wrong_algorithm;
    const bool good = key.verify_sha256(text, value_of(all, "sign"));
    return good ? authenticity::genuine : authenticity::bad_signature;
}

std::string with_query(std::string_view address, const parameters& query) {
    const char* before = address.find('?') == std::string_view::npos ? "?" : "&";
    return std::string(address).append(before).append(encode_form(query));
}

}  // namespace

std::string alipay_request_text(const parameters& request) { return joined(request, true); }

std::string alipay_message_text(const parameters& message) { return joined(message, false); }

void sign_alipay_request(parameters& request, const private_key& merchant) {
    prepare(request);
    request["sign"] = merchant.sign_sha256(alipay_request_text(request));
}

void sign_alipay_message(parameters& message, const private_key& platform) {
    prepare(message);
    message["sign"] = platform.sign_sha256(alipay_message_text(message));
}

authenticity verify_alipay_request(const parameters& request, const public_key& merchant) {
    return verify_parameters(request, alipay_request_text(request), merchant);
}

authenticity verify_alipay_message(const parameters& message, const public_key& platform) {
    return verify_parameters(message, alipay_message_text(message), platform);
}

std::string alipay_page_address(std::string_view gateway, const parameters& signed_request) {
    return with_query(gateway, signed_request);
}

std::string alipay_page_form(std::string_view gateway, const parameters& signed_request) {
    parameters in_address = signed_request;
    in_address.erase(posted);
    return fmt::format(R"(<form id="alipay" method="post" action="{}">)"
                       R"(<input type="hidden" name="{}" value="{}">)"
                       R"(<noscript><button>Alipay</button></noscript></form>)"
                       R"(<script>document.getElementById("alipay").submit()</script>)",
                       html_escaped(with_query(gateway, in_address)), posted,
                       html_escaped(value_of(signed_request, posted)));
}

}  // namespace floodgate::pay
