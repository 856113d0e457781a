#include "guard/rate_limiter.hpp"

#include <sodium.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "guard/mixed_bits.hpp"
#include "guard/sodium.hpp"

namespace floodgate::guard {
namespace {

constexpr double second_ns = 1e9;
constexpr std::int64_t ms_ns = 1'000'000;
constexpr std::int64_t payback_ns_max = 2'000 * ms_ns;
constexpr double to_fill_s_max = 30.0 * 24 * 3600;

// Event loops read the clock once in a turn, so their times differ a little and come out of order.
// Only a larger step back means that the clock was set; then the new time counts from there on.
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

bool rate_limiter::change(const rate_limit& limit) {
    check(limit);
    if (sets_.empty()) return limit.rate_per_s == 0;
    std::vector<std::unique_lock<std::mutex>> all;
    for (shard& s : shards_) all.emplace_back(s.mutex);
    unlimited_ = limit.rate_per_s == 0;
    if (limit.rate_per_s == 0) return true;
    per_token_ = std::max<nanoseconds>(1, std::llround(second_ns / limit.rate_per_s));
    to_fill_ = per_token_ * limit.burst;
    return true;
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
        if (b.key == key) return take(s, b, time);
        if (b.full_at < fullest->full_at) fullest = &b;
    }
    *fullest = {key, time};
    return take(s, *fullest, time);
}

milliseconds rate_limiter::wait_for(std::uint64_t key, instant now) {
    if (unlimited_) return milliseconds(0);
    shard& s = shards_[set_of(key) % shards];
    const std::lock_guard lock(s.mutex);
    const nanoseconds time = time_of(s, now);
    const bucket* b = find(key);
    if (b == nullptr) return milliseconds(0);
    const nanoseconds missing = std::max(b->full_at, time) + per_token_ - time - to_fill_;
    return missing > 0 ? milliseconds((missing + ms_ns - 1) / ms_ns) : milliseconds(0);
}

milliseconds rate_limiter::take(shard& s, bucket& b, nanoseconds time) const {
    const nanoseconds full_at = std::max(b.full_at, time) + per_token_;
    const nanoseconds missing = full_at - time - to_fill_;
    if (missing > 0) return milliseconds((missing + ms_ns - 1) / ms_ns);
    b.full_at = full_at;
    if (full_at - time >= share_above_) note(s, b, time);
    return milliseconds(0);
}

// This needs no present time: a bucket whose time lies in the past is full anyway.
void rate_limiter::give_back(std::uint64_t key) {
    if (unlimited_) return;
    shard& s = shards_[set_of(key) % shards];
    const std::lock_guard lock(s.mutex);
    bucket* b = find(key);
    if (b == nullptr) return;
    b->full_at -= per_token_;
    const auto untold = s.untold.find(key);
    if (untold != s.untold.end()) untold->second -= per_token_;
}

void rate_limiter::note(shard& s, const bucket& b, nanoseconds time) const {
    const auto found = s.untold.find(b.key);
    if (found != s.untold.end()) {
        found->second += per_token_;
    } else if (s.untold.size() < untold_max_) {
        s.untold.emplace(b.key, b.full_at - time);  // everything used so far
    }
}

void rate_limiter::share(double from, std::size_t keys_max) {
    if (unlimited_) return;
    const double above = std::clamp(from, 0.0, 1.0) * static_cast<double>(to_fill_);
    share_above_ = std::llround(above);
    untold_max_ = (keys_max + shards - 1) / shards;
}

std::vector<rate_limiter::usage> rate_limiter::take_usage(instant now) {
    std::vector<usage> out;
    if (unlimited_) return out;
    for (shard& s : shards_) {
        const std::lock_guard lock(s.mutex);
        const nanoseconds time = time_of(s, now);
        for (auto& entry : s.untold)
            if (entry.second != 0) out.push_back({entry.first, std::exchange(entry.second, 0)});
        boost::unordered::erase_if(s.untold, [&](const auto& entry) {
            const bucket* b = find(entry.first);
            return b == nullptr || b->full_at <= time;
        });
    }
    return out;
}

void rate_limiter::merge(std::uint64_t key, nanoseconds missing, instant now) {
    if (unlimited_) return;
    shard& s = shards_[set_of(key) % shards];
    const std::lock_guard lock(s.mutex);
    const nanoseconds time = time_of(s, now);
    bucket* b = find(key);
    if (b == nullptr) return;  // forgotten meanwhile
    const auto untold = s.untold.find(key);
    if (untold != s.untold.end()) missing += untold->second;  // taken since take_usage()
    const nanoseconds missing_max = 2 * to_fill_ + payback_ns_max;
    b->full_at = std::max(b->full_at, time + std::clamp<nanoseconds>(missing, 0, missing_max));
}

// To be called under the lock of its shard.
rate_limiter::bucket* rate_limiter::find(std::uint64_t key) {
    for (bucket& b : sets_[set_of(key)].buckets)
        if (b.key == key) return &b;
    return nullptr;
}

rate_limiter::nanoseconds rate_limiter::time_of(shard& s, instant now) const {
    const std::int64_t now_ms = std::clamp<std::int64_t>(to_ms(now), 0, now_ms_max);
    if (now_ms > s.wall_ms) {
        // After that time every bucket is full. Counting further would change nothing, and could
        // overflow when the clock is set.
        const std::int64_t step_ms =
            std::min(now_ms - s.wall_ms, (2 * to_fill_ + payback_ns_max) / ms_ns + 1);
        s.time += step_ms * ms_ns;
        s.wall_ms = now_ms;
    } else if (s.wall_ms - now_ms > disorder_ms_max) {
        s.wall_ms = now_ms;
    }
    return s.time;
}

std::size_t rate_limiter::set_of(std::uint64_t key) const {
    return mixed_bits(key ^ secret_) & (sets_.size() - 1);
}

}  // namespace floodgate::guard
