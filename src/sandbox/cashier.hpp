// The page where a person pays, declines or lets the time run out.
//
//   GET  /sandbox/cashier/{code}   where Alipay's page pay leads; opening it makes the trade exist
//   GET  /sandbox/wechat/{code}    stands for the telephone that scans weixin://...?pr={code}
//   POST /sandbox/cashier/{code}/pay | decline | expire

#pragma once

#include <string>
#include <vector>

#include "sandbox/call.hpp"
#include "sandbox/platform.hpp"

namespace floodgate::sandbox {

// `parts` are those of the path after "sandbox", from "cashier" or "wechat" on.
response answer_cashier(platform& p, const request& r, const std::vector<std::string>& parts,
                        instant now);

}  // namespace floodgate::sandbox
