// Wall-clock time in milliseconds, and the one place that asks the machine for it.
//
// Decisions never read a clock: they take `now` as an argument. Conductors hold a `clock&`.

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

inline std::int64_t to_ms(instant t) { return t.time_since_epoch().count(); }
inline instant from_ms(std::int64_t ms) { return instant(milliseconds(ms)); }

}  // namespace floodgate
