// The business of Alipay's JSON methods.

#pragma once

#include <boost/json/object.hpp>

#include <string_view>

#include "sandbox/alipay_reply.hpp"
#include "sandbox/platform.hpp"

namespace floodgate::sandbox {

// One of alipay.trade.query, .close, .refund and .fastpay.refund.query.
alipay_reply run_alipay_method(platform& p, std::string_view method, const boost::json::object& biz,
                               instant now);

}  // namespace floodgate::sandbox
