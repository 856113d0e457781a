// Any bytes as what strangers send to the payment addresses: a form, a response of Alipay's
// gateway, a header or notice of WeChat Pay, a message of the shop's own checkout, a daily bill.
// They must neither crash nor hang. What is accepted must come back as it went, and nothing is
// genuine without a signature.
//
// The first byte chooses which.

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "pay/alipay_response.hpp"
#include "pay/alipay_text.hpp"
#include "pay/base64.hpp"
#include "pay/bill_file.hpp"
#include "pay/external_notify.hpp"
#include "pay/new_keys.hpp"
#include "pay/wechat_notice.hpp"
#include "store/http/message_signature.hpp"

namespace {

using namespace floodgate;
using namespace floodgate::pay;

void require(bool holds) {
    if (!holds) std::abort();
}

// Made anew at each start, so that no input can have been signed with it.
const private_key& platform() {
    static const private_key key = private_key::from_text(make_key_pair().private_pem);
    return key;
}
const public_key& platform_public() {
    static const public_key key = platform().public_half();
    return key;
}

void check_form(std::string_view text) {
    const decoded_form form = decode_form(text);
    if (form.verdict != form_verdict::good) {
        require(form.fields.empty());
        return;
    }
    require(form.fields.size() <= form_limits().fields_max);
    require(decode_form(encode_form(form.fields), {.bytes_max = 3 * text.size() + 100}).fields ==
            form.fields);
    require(verify_alipay_message(form.fields, platform_public()) != authenticity::genuine);
    require(verify_alipay_request(form.fields, platform_public()) != authenticity::genuine);
    (void)alipay_page_form("http://127.0.0.1/gateway.do", form.fields);
}

void check_response(std::string_view body) {
    constexpr const char* method = "alipay.trade.query";
    const alipay_response_parts parts = split_alipay_response(body, method);
    require(verify_alipay_response(body, method, platform_public()).how != authenticity::genuine);
    if (parts.node.empty()) return;
    require(parts.node.starts_with('{') && parts.node.ends_with('}'));
    require(parts.node.data() >= body.data() &&
            parts.node.data() + parts.node.size() <= body.data() + body.size());
    // The same node in a response of ours is found again, and then it is genuine.
    const std::string ours = sign_alipay_response(method, parts.node, platform());
    const alipay_response found = verify_alipay_response(ours, method, platform_public());
    require(found.how == authenticity::genuine && found.node == parts.node);
}

void check_authorization(std::string_view header) {
    const auto seal = parse_authorization(header);
    if (!seal) return;
    require(parse_authorization(to_authorization(*seal)) == seal);
    const keys_by_serial keys{{seal->serial, platform_public()}};
    const instant now = from_ms(1'794'736'800'000);
    require(verify_wechat_request({"GET", "/", ""}, *seal, keys, now) != authenticity::genuine);
    require(verify_wechat_message("", *seal, keys, now) != authenticity::genuine);
}

void check_bill(std::string_view file) {
    for (const bill& read : {read_alipay_bill(file), read_wechat_bill(file)}) {
        require(read.fault.empty() || read.rows.empty());
        for (const bill_row& row : read.rows)
            require(row.amount.value >= 0 && !row.channel_trade_no.empty() && row.line > 0);
    }
}

void check_cipher(std::string_view text) {
    static const apiv3_key key = apiv3_key::from_text("0123456789abcdef0123456789abcdef");
    if (const auto bytes = from_base64(text)) require(to_base64(*bytes) == text);
    const wechat_resource sealed{wechat_cipher_name, std::string(text), "abcdefghijkl", ""};
    require(decrypt_resource(sealed, key).how != authenticity::genuine);
}

void check_notice(std::string_view body) {
    const auto notice = parse_wechat_notice(body);
    if (!notice) return;
    const auto again = parse_wechat_notice(to_json(*notice));
    require(again && to_json(*again) == to_json(*notice));
}

void check_external(std::string_view body) {
    static const std::array secrets{shared_secret::from_text(std::string(32, 's'), ""),
                                    shared_secret::from_text(std::string(32, 'o'), "")};
    const instant now = from_ms(1'794'736'800'000);
    raw_message m{.content_type = "application/json", .body = body};
    require(!read_external_notify(m, secrets, now).fault.empty());
    const std::string at = store::message_timestamp(now);
    const std::string signature = store::message_signature(secrets.back().bytes(), at, body);
    m.timestamp = at;
    m.signature = signature;
    const message said = read_external_notify(m, secrets, now);
    require(!said.fault.empty() || (said.order.value > 0 && said.amount.value > 0));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    switch (data[0] % 6) {
    case 0: check_form(text); break;
    case 1: check_response(text); break;
    case 2: check_authorization(text); break;
    case 3: check_bill(text); break;
    case 4: check_cipher(text); break;
    default:
        check_notice(text);
        check_external(text);
        break;
    }
    return 0;
}
