// The calls of WeChat Pay about refunds.

#pragma once

#include <boost/json/object.hpp>

#include <string>

#include "sandbox/platform.hpp"
#include "sandbox/wechat_reply.hpp"

namespace floodgate::sandbox {

inline constexpr std::size_t wechat_refunds_max = 50;  // of one trade

// POST /v3/refund/domestic/refunds
wechat_reply order_refund(platform& p, const boost::json::object& body, instant now);
// GET /v3/refund/domestic/refunds/{out_refund_no}
wechat_reply query_refund_by_own_number(const platform& p, const std::string& out_refund_no,
                                        instant now);

}  // namespace floodgate::sandbox
