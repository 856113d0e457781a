// The buyers of one sale who gave units back and have to wait, and until when.
//
// Time is an argument: nothing happens by itself when a cool-down is over. Cool-downs that are over
// are swept out a few at a time, so that many orders that timed out together never stop the rush.

#pragma once

#include <deque>

#include "gate/split_map.hpp"
#include "gate/turnstile.hpp"

namespace floodgate::gate {

class cool_downs {
public:
    // If the buyer is in a cool-down already, the one that ends later counts.
    void begin(const cooling_buyer& b) {
        instant& until = until_[b.buyer];
        if (b.until <= until) return;
        until = b.until;
        begun_.push_back(b);
    }

    // When the buyer may buy again; a past moment if they may buy now.
    instant until(sale::user_id buyer) const {
        if (begun_.empty()) return {};  // the usual case, and cheaper than a look-up
        const instant* found = until_.find(buyer);
        return found ? *found : instant{};
    }

    // Forgets up to eight cool-downs that are over. Called for every attempt and every return, so
    // more are forgotten than begin.
    void sweep(instant now) {
        for (std::size_t i = 0; i < swept_at_once && !begun_.empty(); ++i) {
            const cooling_buyer first = begun_.front();
            if (first.until > now) return;
            if (until(first.buyer) == first.until) until_.erase(first.buyer);
            begun_.pop_front();
        }
    }

    std::size_t size() const { return until_.size(); }
    std::size_t bytes() const { return until_.bytes() + begun_.size() * sizeof(cooling_buyer); }

private:
    static constexpr std::size_t swept_at_once = 8;

    split_map<sale::user_id, instant> until_;
    // In the order in which they began, which is nearly the order in which they end. A buyer may
    // stand here more than once; until_ has the latest end.
    std::deque<cooling_buyer> begun_;
};

}  // namespace floodgate::gate
