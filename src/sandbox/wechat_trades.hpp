// The calls of WeChat Pay about trades: native order, query, close.

#pragma once

#include <boost/json/object.hpp>

#include <string>

#include "sandbox/platform.hpp"
#include "sandbox/wechat_reply.hpp"

namespace floodgate::sandbox {

// POST /v3/pay/transactions/native
wechat_reply order_native(platform& p, const boost::json::object& body, instant now);
// GET /v3/pay/transactions/out-trade-no/{out_trade_no}?mchid=
wechat_reply query_by_own_number(const platform& p, const std::string& out_trade_no,
                                 const std::string& mchid);
// GET /v3/pay/transactions/id/{transaction_id}?mchid=, which knows paid trades only
wechat_reply query_by_number(const platform& p, const std::string& number,
                             const std::string& mchid);
// POST /v3/pay/transactions/out-trade-no/{out_trade_no}/close
wechat_reply close_by_own_number(platform& p, const std::string& out_trade_no,
                                 const boost::json::object& body, instant now);

}  // namespace floodgate::sandbox
