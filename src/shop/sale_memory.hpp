// How long the gate and the buyers' pages remember a sale that is over, and how long a buyer who
// gave units back has to wait.

#pragma once

#include "base/clock.hpp"
#include "sale/catalogue.hpp"

namespace floodgate::shop {

struct sale_memory {
    milliseconds forget_after{std::chrono::hours(24)};
    // How long such a buyer gets no other unit of the sale; 0: no cool-down.
    milliseconds cool_down{std::chrono::seconds(30)};

    // Whether that time has passed since a buyer could last have paid. The gate may hold such a
    // sale for longer (gate_loader::needs), but this is rare, so pages use only this rule.
    bool is_over(const sale::sale& s, instant now) const {
        return s.ends_at + std::chrono::seconds(s.pay_within_s) + forget_after < now;
    }
};

}  // namespace floodgate::shop
