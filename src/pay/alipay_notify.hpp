// Reads a message that came to Alipay's notify_url.

#pragma once

#include <string>

#include "pay/channel.hpp"
#include "pay/keys.hpp"

namespace floodgate::pay {

struct alipay_recipient {
    const std::string& app_id;
    const std::string& seller_id;
    const public_key& platform;
};

// The faults, in the order in which they are looked for: wrong_content_type, those of form_verdict
// and of authenticity, other_app, other_kind, other_order, bad_amount, other_seller, not_a_notify,
// unknown_status. From the order on, the fields that could be read are set.
//
// A message about a refund names it (out_biz_no), and says besides what the trade is now: paid
// after a part was refunded, closed after all of it was.
//
// not_a_notify: Alipay signed it, but it has no notify_type. So are the words with which Alipay
// sends a buyer back, and these say nothing about a payment, whatever else they contain.
message read_alipay_notify(const raw_message& m, const alipay_recipient& us);

}  // namespace floodgate::pay
