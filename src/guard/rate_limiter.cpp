#include "guard/rate_limiter.hpp"

#include <sodium.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "guard/sodium.hpp"

namespace floodgate::guard {
namespace {

constexpr double second_ns = 1e9;
constexpr std::int64_t ms_ns = 1'000'000;
constexpr double to_fill_s_max = 30.0 * 24 * 3600;

// Event loops read the clock once a turn, so their `now`s differ a little and come out of order.
// Only a larger step back is the clock being set, and the new time the one to count on from.
constexpr std::int64_t disorder_ms_max = 10'000;
constexpr std::int64_t now_ms_max = std::int64_t{1} << 53U;  // keeps differences from overflowing

void check(const rate_limit& limit) {
    if (!std::isfinite(limit.rate_per_s) || limit.rate_per_s < 0)
        throw std::invalid_argument("rate limit: the rate must be 0 or more per second");
    if (limit.rate_per_s == 0) return;
    if (limit.burst == 0) throw std::invalid_argument("rate limit: the burst must be 1 or more");
    if (limit.keys_max == 0) throw std::invalid_argument("rate limit: keys_max must be 1 or more");
    if (limit.burst / limit.rate_per_s > to_fill_s_max)
        throw std::invalid_argument("rate limit: so slow that a burst takes more than 30 days");
}

// splitmix64's last step: every bit of the result depends on every bit of the key.
std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
}

}  // namespace

rate_limiter::rate_limiter(rate_limit limit) {
    check(limit);
    if (limit.rate_per_s == 0) return;
    unlimited_ = false;
    per_token_ = std::max<nanoseconds>(1, std::llround(second_ns / limit.rate_per_s));
    to_fill_ = per_token_ * limit.burst;
    need_sodium();
    randombytes_buf(&secret_, sizeof secret_);
    sets_.resize(std::bit_ceil((limit.keys_max + ways - 1) / ways));
}

milliseconds rate_limiter::try_take(std::uint64_t key, instant now) {
    if (unlimited_) return milliseconds(0);
    const std::size_t index = set_of(key);
    shard& s = shards_[index % shards];
    const std::lock_guard lock(s.mutex);
    const nanoseconds time = time_of(s, now);

    set& candidates = sets_[index];
    bucket* fullest = candidates.buckets.data();
    for (bucket& b : candidates.buckets) {
        if (b.key == key) return take(b, time);
        if (b.full_at < fullest->full_at) fullest = &b;
    }
    *fullest = {key, time};
    return take(*fullest, time);
}

milliseconds rate_limiter::take(bucket& b, nanoseconds time) const {
    const nanoseconds full_at = std::max(b.full_at, time) + per_token_;
    const nanoseconds missing = full_at - time - to_fill_;
    if (missing > 0) return milliseconds((missing + ms_ns - 1) / ms_ns);
    b.full_at = full_at;
    return milliseconds(0);
}

rate_limiter::nanoseconds rate_limiter::time_of(shard& s, instant now) const {
    const std::int64_t now_ms = std::clamp<std::int64_t>(to_ms(now), 0, now_ms_max);
    if (now_ms > s.wall_ms) {
        // After to_fill_ every bucket is full: counting further would change nothing, and could
        // overflow when the clock is set.
        const std::int64_t step_ms = std::min(now_ms - s.wall_ms, to_fill_ / ms_ns + 1);
        s.time += step_ms * ms_ns;
        s.wall_ms = now_ms;
    } else if (s.wall_ms - now_ms > disorder_ms_max) {
        s.wall_ms = now_ms;
    }
    return s.time;
}

std::size_t rate_limiter::set_of(std::uint64_t key) const {
    return mixed(key ^ secret_) & (sets_.size() - 1);
}

}  // namespace floodgate::guard
