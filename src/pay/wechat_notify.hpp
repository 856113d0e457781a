// Reads a message that came to WeChat Pay's notify_url.

#pragma once

#include <string>

#include "pay/channel.hpp"
#include "pay/wechat_cipher.hpp"
#include "pay/wechat_text.hpp"

namespace floodgate::pay {

inline constexpr std::size_t wechat_notify_bytes_max = 65'536;

struct wechat_recipient {
    const std::string& mch_id;
    const std::string& app_id;
    const keys_by_serial& platform;
    const apiv3_key& shared;
};

// The faults, in the order in which they are looked for: wrong_content_type, too_long, those of
// authenticity, unknown_event, other_merchant, other_app, other_order, bad_amount, other_currency,
// unknown_status. From the order on, the fields that could be read are set.
//
// A message about a refund names it. If all of the trade was refunded, the message says `closed`,
// because the trade cannot be paid any more; otherwise `unsure`.
message read_wechat_notify(const raw_message& m, const wechat_recipient& us, instant now);

}  // namespace floodgate::pay
