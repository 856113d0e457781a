// How long buyers waited for the gate's answer, counted by one loop. Any thread may read it.

#pragma once

#include <algorithm>
#include <array>
#include <chrono>

#include "http/figures.hpp"
#include "http/tally.hpp"

namespace floodgate::http {

class decision_times {
public:
    void add(std::chrono::steady_clock::duration took) {
        const auto us = std::chrono::duration_cast<std::chrono::microseconds>(took).count();
        const auto waited = static_cast<std::uint64_t>(std::max<std::int64_t>(us, 0));
        const auto* bound = std::ranges::lower_bound(decision_bounds_us, waited);
        counts_[static_cast<std::size_t>(bound - decision_bounds_us.begin())].add();
        sum_us_.add(static_cast<std::int64_t>(waited));
    }
    void add_to(figures& sum) const {
        for (std::size_t i = 0; i < counts_.size(); ++i) sum.decisions[i] += counts_[i].read();
        sum.decisions_us += sum_us_.read();
    }

private:
    std::array<tally, decision_bounds_us.size() + 1> counts_;
    tally sum_us_;
};

}  // namespace floodgate::http
