// How long a sale that is over is remembered (by the gate, and on the pages that buyers see), and a
// buyer who gave its units back.

#pragma once

#include "base/clock.hpp"
#include "sale/catalogue.hpp"

namespace floodgate::shop {

struct sale_memory {
    milliseconds forget_after{std::chrono::hours(24)};
    // How long such a buyer gets no other unit of the sale; 0: no time at all.
    milliseconds cool_down{std::chrono::seconds(30)};

    // Whether so much time has passed since a buyer could have paid last. What keeps such a sale at
    // the gate for longer (gate_loader::needs) is exceptional, so pages go by this alone.
    bool is_over(const sale::sale& s, instant now) const {
        return s.ends_at + std::chrono::seconds(s.pay_within_s) + forget_after < now;
    }
};

}  // namespace floodgate::shop
