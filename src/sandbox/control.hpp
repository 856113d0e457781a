// The sandbox's own calls, for scripts and for a person who wants to see what is there.
//
//   GET  /sandbox                                  a page with the trades and the switches
//   GET  /sandbox/trades                           the newest 200 trades
//   GET  /sandbox/trades/{out_trade_no}
//   POST /sandbox/trades/{out_trade_no}/{act}      open, pay, decline, expire or finish
//   GET  /sandbox/notifies                         what is still to be sent
//   GET, POST /sandbox/switches                    see switches.hpp
//
// With ?channel=alipay or wechat if both channels have the number. An act that is not possible now
// is answered with 409, the reason and the trade.

#pragma once

#include <string>
#include <vector>

#include "sandbox/call.hpp"
#include "sandbox/platform.hpp"

namespace floodgate::sandbox {

inline constexpr std::size_t listed_max = 200;

// `parts` are those of the path after "sandbox"; none for the page.
response answer_control(platform& p, const request& r, const std::vector<std::string>& parts,
                        instant now);

}  // namespace floodgate::sandbox
