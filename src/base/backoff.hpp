// How long to wait before the next try: twice as long after each failure, up to a limit.
//
//   constexpr backoff pauses{.first = 50ms, .last = 1s};
//   pauses.after(1)   // 50 ms after the first failure, then 100, 200, 400, 800, 1000, 1000 ...

#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>

namespace floodgate {

struct backoff {
    std::chrono::milliseconds first;
    std::chrono::milliseconds last;

    // `failures` is the number of failures in a row. With 0 failures the pause is zero.
    constexpr std::chrono::milliseconds after(std::uint64_t failures) const {
        if (failures == 0) return std::chrono::milliseconds(0);
        std::chrono::milliseconds pause = first;
        // Compared with half of `last`, because twice a long pause could overflow.
        for (std::uint64_t i = 1; i < failures && pause < last; ++i)
            pause = pause > last / 2 ? last : 2 * pause;
        return std::min(pause, last);
    }

    // A random pause from 1 ms up to after(failures), so that competitors that failed at the same
    // moment do not try again at the same moment.
    template <class Random>
    std::chrono::milliseconds after(std::uint64_t failures, Random& chance) const {
        using count = std::chrono::milliseconds::rep;
        const count longest = std::max<count>(after(failures).count(), 1);
        return std::chrono::milliseconds(std::uniform_int_distribution<count>(1, longest)(chance));
    }
};

}  // namespace floodgate
