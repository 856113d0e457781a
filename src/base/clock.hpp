// The two kinds of time, and the one place that asks the machine for them.
//
// `clock` gives the time of day, in milliseconds: when a sale opens, by when an order must be paid.
// `monotonic_clock` gives moments that are only compared with each other: how long ago, how long.
//
// Decisions never read a clock: they take `now` as an argument. Classes that have a thread or
// conduct others hold a `clock&` or a `monotonic_clock&`; tests pass a manual one.

#pragma once

#include <atomic>
#include <chrono>

namespace floodgate {

using milliseconds = std::chrono::milliseconds;
using instant = std::chrono::sys_time<milliseconds>;  // since 1970, UTC

inline constexpr instant never = instant::max();

class clock {
public:
    virtual ~clock() = default;
    virtual instant now() const = 0;
};

class wall_clock final : public clock {
public:
    instant now() const override {
        return std::chrono::time_point_cast<milliseconds>(std::chrono::system_clock::now());
    }
};

// For tests: time moves when it is told to.
class manual_clock final : public clock {
public:
    explicit manual_clock(instant start) : now_ms_(start.time_since_epoch().count()) {}
    instant now() const override { return instant(milliseconds(now_ms_.load())); }
    void advance(milliseconds by) { now_ms_ += by.count(); }
    void set(instant to) { now_ms_ = to.time_since_epoch().count(); }

private:
    std::atomic<milliseconds::rep> now_ms_;
};

using moment = std::chrono::steady_clock::time_point;

class monotonic_clock {
public:
    virtual ~monotonic_clock() = default;
    virtual moment now() const = 0;
};

class machine_monotonic_clock final : public monotonic_clock {
public:
    moment now() const override { return std::chrono::steady_clock::now(); }
};

// The machine's monotonic clock, the default where no other clock is given. It has no state.
inline const machine_monotonic_clock machine_time;

// For tests: time moves when it is told to.
class manual_monotonic_clock final : public monotonic_clock {
public:
    moment now() const override { return moment(std::chrono::nanoseconds(now_ns_.load())); }
    void advance(std::chrono::nanoseconds by) { now_ns_ += by.count(); }

private:
    // As on a machine that has been up for a day, so that a default-constructed moment lies far
    // in the past.
    static constexpr std::chrono::nanoseconds start = std::chrono::hours(24);
    std::atomic<std::chrono::nanoseconds::rep> now_ns_{start.count()};
};

inline std::int64_t to_ms(instant t) { return t.time_since_epoch().count(); }
inline instant from_ms(std::int64_t ms) { return instant(milliseconds(ms)); }

}  // namespace floodgate
