// What WeChat Pay posts when something was paid or given back: a signed JSON envelope with an
// encrypted resource in it.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pay/wechat_cipher.hpp"
#include "pay/wechat_text.hpp"

namespace floodgate::pay {

inline constexpr std::size_t wechat_notice_bytes_max = 524'288;

struct wechat_notice {
    std::string id;             // the same whenever this notice is sent again
    std::string create_time;    // RFC 3339
    std::string event_type;     // "TRANSACTION.SUCCESS", "REFUND.ABNORMAL", ...
    std::string summary;        // for people
    std::string original_type;  // what the resource holds: "transaction", "refund"
    wechat_resource resource;
};

std::string to_json(const wechat_notice& notice);
// Empty for anything but such an envelope. id, event_type, and of the resource algorithm,
// ciphertext and nonce must be there; the rest may be missing. Unknown fields are skipped.
std::optional<wechat_notice> parse_wechat_notice(std::string_view body);

struct opened_notice {
    authenticity how = authenticity::malformed;
    wechat_notice notice;  // of a body with a good signature, if it could be parsed
    std::string content;   // the JSON in the resource; empty unless genuine
};

// All checks, in this order: the signature with its own checks, the envelope, the cipher.
opened_notice open_wechat_notice(std::string_view body, const wechat_seal& seal,
                                 const keys_by_serial& platform, const apiv3_key& key, instant now);

}  // namespace floodgate::pay
