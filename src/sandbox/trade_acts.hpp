// What buyers, merchants and the clock do to a trade: checks it, keeps the changed trade, and
// schedules the message about it.

#pragma once

#include <string>

#include "sandbox/platform.hpp"

namespace floodgate::sandbox {

struct act_outcome {
    trade after;      // unchanged if the act was refused
    std::string why;  // a sentence if it was refused, otherwise empty

    bool done() const { return why.empty(); }
};

// The buyer opens the cashier. From now on an Alipay trade exists.
act_outcome open_trade(platform& p, trade t, instant now);
// Opens it if need be. With the switch pay_after_close also too late.
act_outcome pay_trade(platform& p, trade t, instant now);
act_outcome decline_trade(platform& p, trade t, instant now);
// The last moment to pay is now. Alipay closes the trade then, WeChat Pay does not.
act_outcome expire_trade(platform& p, trade t, instant now);
act_outcome finish_trade(platform& p, trade t, instant now);
act_outcome close_trade(platform& p, trade t, instant now);  // by the merchant

// `r` has a request number that is new in this trade. Refused: not paid, or more than is left.
act_outcome refund_trade(platform& p, trade t, refund r, instant now);

// Closes the trades whose time is over. To be called before anything else happens at `now`.
void close_overdue(platform& p, instant now);

}  // namespace floodgate::sandbox
