// What WeChat Pay tells the merchant: the objects of trades and refunds, and the notifies that
// carry them encrypted.

#pragma once

#include <boost/json/object.hpp>

#include <string>

#include "sandbox/call.hpp"
#include "sandbox/notify_schedule.hpp"
#include "sandbox/parties.hpp"

namespace floodgate::sandbox {

boost::json::object wechat_trade_json(const wechat_party& who, const trade& t);
boost::json::object wechat_refund_json(const trade& t, const refund& r, instant now);

notify wechat_pay_notify(const wechat_party& who, const trade& t, instant now);
// About the end of the refund, at the time when it settles.
notify wechat_refund_notify(const wechat_party& who, const trade& t, const refund& r);

// The headers with the signature of a reply or notify.
header_list wechat_seal_headers(std::string_view body, const pay::wechat_signer& by, instant now);
// The same with a signature that must be refused.
header_list wechat_probe_headers(const pay::wechat_signer& by, instant now);

}  // namespace floodgate::sandbox
