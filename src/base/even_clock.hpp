// Wall time that does not jump. It reads the machine's clock once and then adds the uptime.
//
// While the machine's clock is less than `jump` away (NTP adjusts it, a leap second), this clock
// follows it in small steps. When somebody sets the machine's clock to another time, this clock
// keeps its own: no sale opens early and no unit is freed early because of a wrong date. Operators
// see the difference as a metric; a restart takes over the machine's time.

#pragma once

#include <atomic>

#include "base/clock.hpp"

namespace floodgate {

class even_clock final : public clock {
public:
    // A difference beyond this is a jump, not drift.
    static constexpr milliseconds jump{2000};
    // The most that one call of follow() changes.
    static constexpr milliseconds step{20};

    struct sources {
        instant (*wall)();
        milliseconds (*uptime)();  // also counts while the machine sleeps
    };
    even_clock();  // the machine's
    explicit even_clock(sources from);

    instant now() const override { return from_ms(offset_ms_ + from_.uptime().count()); }

    // To be called once or twice a second. Follows the machine's clock unless that has jumped.
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
