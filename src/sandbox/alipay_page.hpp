// alipay.trade.page.pay: takes the order and says which cashier page the buyer goes to.

#pragma once

#include <optional>
#include <string>

#include "sandbox/alipay_check.hpp"
#include "sandbox/platform.hpp"

namespace floodgate::sandbox {

struct ordered_page {
    std::string code;  // of the cashier's page
    std::optional<alipay_reply> fault;
};

// The trade exists for the merchant only after the buyer has opened the page.
ordered_page order_alipay_page(platform& p, const alipay_request& r, instant now);

// "90m", "2h", "1d" from now, or "1c", the end of the day in Beijing. Empty outside 1m to 15d.
std::optional<instant> alipay_timeout(std::string_view text, instant now);

}  // namespace floodgate::sandbox
