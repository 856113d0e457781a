// WeChat Pay's signatures (API v3, SHA256 with RSA): requests by the merchant, replies and notifies
// by the platform. The resource inside a notify is encrypted as well: see wechat_cipher.hpp.
//
// Bodies are the bytes as sent, never parsed and written anew. Times are seconds since 1970 as
// text, because the text is what is signed.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "pay/authenticity.hpp"
#include "pay/keys.hpp"

namespace floodgate::pay {

inline constexpr const char* wechat_scheme = "WECHATPAY2-SHA256-RSA2048";
inline constexpr std::chrono::seconds wechat_clock_window{300};

// Keys by the serial of a certificate, or by "PUB_KEY_ID_...". Several at once while they change.
using keys_by_serial = std::map<std::string, public_key, std::less<>>;

struct wechat_request {
    std::string_view method;  // "GET", "POST"
    std::string_view target;  // path and query as sent, without the host
    std::string_view body;    // empty for GET
};

// Who signed, with which key, when: what stands in the Authorization header of a request, and,
// without mch_id, in the Wechatpay-... headers of a reply or notify.
struct wechat_seal {
    std::string mch_id;
    std::string serial;
    std::string timestamp;
    std::string nonce;
    std::string signature;

    friend bool operator==(const wechat_seal&, const wechat_seal&) = default;
};

// The strings that are signed. Every line ends with a line feed, also the last one.
std::string wechat_request_text(const wechat_request& r, const wechat_seal& seal);
std::string wechat_message_text(std::string_view body, const wechat_seal& seal);

// The seal to sign with: who and with which key. The time comes from `now`; `nonce` should be
// random, letters and digits.
struct wechat_signer {
    std::string mch_id;  // empty for the platform
    std::string serial;
    private_key key;
};
wechat_seal sign_wechat_request(const wechat_request& r, const wechat_signer& by, instant now,
                                std::string nonce);
wechat_seal sign_wechat_message(std::string_view body, const wechat_signer& by, instant now,
                                std::string nonce);

// The value of the Authorization header. Reading accepts the fields in any order, each exactly once
// and not empty, and no others.
std::string to_authorization(const wechat_seal& seal);
std::optional<wechat_seal> parse_authorization(std::string_view header);

// By the key of the seal's serial, if the seal's time is less than wechat_clock_window away. A
// reply or notify that lacks one of the headers is passed with an empty text for it. mch_id is not
// signed: whoever takes requests must check that it is the merchant of the serial.
authenticity verify_wechat_request(const wechat_request& r, const wechat_seal& seal,
                                   const keys_by_serial& merchants, instant now);
authenticity verify_wechat_message(std::string_view body, const wechat_seal& seal,
                                   const keys_by_serial& platform, instant now);

}  // namespace floodgate::pay
