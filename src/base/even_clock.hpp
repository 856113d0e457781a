// Wall time that does not jump: taken from the machine's clock once, then carried on by its uptime.
//
// While the two differ by little (a clock being disciplined, a second lost) it follows the
// machine's clock gently. When somebody sets that clock to another time, it keeps its own: no sale
// opens early and no unit is freed early because of a wrong date. How far the two are apart is for
// the operator to see; a restart takes over the machine's time.

#pragma once

#include <atomic>

#include "base/clock.hpp"

namespace floodgate {

class even_clock final : public clock {
public:
    // A difference beyond this is a jump, not drift.
    static constexpr milliseconds jump{2000};
    // What follow() may change at a time.
    static constexpr milliseconds step{20};

    struct sources {
        instant (*wall)();
        milliseconds (*uptime)();  // goes on while the machine sleeps
    };
    even_clock();  // the machine's
    explicit even_clock(sources from);

    instant now() const override { return from_ms(offset_ms_ + from_.uptime().count()); }

    // Once or twice a second: looks at the machine's clock and follows it if it did not jump.
    void follow();

    // How far the machine's clock is ahead of this one, as of the last follow().
    milliseconds apart() const { return milliseconds(apart_ms_); }
    bool jumped() const { return apart() > jump || apart() < -jump; }

private:
    const sources from_;
    std::atomic<std::int64_t> offset_ms_;  // now less uptime
    std::atomic<std::int64_t> apart_ms_{0};
};

}  // namespace floodgate
