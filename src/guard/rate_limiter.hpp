// How fast one may go: a token bucket for each key (a user, or an address).
//
// A bucket starts full with `burst` tokens and gets `rate_per_s` more each second. One try takes
// one token; a refused try takes none.
//
// Memory is fixed: a table of sets of eight buckets. A key belongs to one set. A full bucket says
// nothing a fresh one would not, so it is free to be used for another key; when none of the eight
// is full, the one closest to full is recycled.
//
// What somebody who cycles through keys (a botnet, a large IPv6 network) can achieve: for each new
// key its burst, which no limiter by key can prevent; and with more than `keys_max` keys in use at
// once, that some buckets are forgotten early and their owners, whoever they are, get their burst
// anew. Nobody is ever refused because of another's key. Which keys share a set is a secret of the
// process, so nobody can aim at a bucket.

#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/clock.hpp"

namespace floodgate::guard {

struct rate_limit {
    double rate_per_s = 0;           // 0 = unlimited
    std::uint32_t burst = 1;         // tokens in a full bucket, from 1
    std::size_t keys_max = 1 << 20;  // buckets; rounded up to 8, 16, 32 ... and 16 bytes each
};

class rate_limiter {
public:
    // Throws std::invalid_argument when the rate is negative or not a number or, unless unlimited,
    // burst or keys_max is 0 or an empty bucket would take more than 30 days to fill.
    explicit rate_limiter(rate_limit limit);

    // Zero: go ahead. Otherwise refused, and how long until one token is back: 1 ms or more.
    // A `now` that goes back counts as no time passed. Any thread, no allocation.
    milliseconds try_take(std::uint64_t key, instant now);

private:
    using nanoseconds = std::int64_t;

    // One number holds a bucket: the moment at which it is full again (the "theoretical arrival
    // time" of the generic cell rate algorithm). In the past: it is full.
    struct bucket {
        std::uint64_t key = 0;
        nanoseconds full_at = 0;
    };
    static constexpr std::size_t ways = 8;
    struct alignas(64) set {
        std::array<bucket, ways> buckets;
    };

    // A lock over some of the sets, and their time, which only moves forward.
    struct alignas(64) shard {
        std::mutex mutex;
        std::int64_t wall_ms = 0;
        nanoseconds time = 0;
    };
    static constexpr std::size_t shards = 64;

    nanoseconds time_of(shard& s, instant now) const;
    milliseconds take(bucket& b, nanoseconds time) const;
    std::size_t set_of(std::uint64_t key) const;

    bool unlimited_ = true;
    nanoseconds per_token_ = 0;
    nanoseconds to_fill_ = 0;  // an empty bucket
    std::uint64_t secret_ = 0;
    std::vector<set> sets_;  // a power of two of them
    std::array<shard, shards> shards_;
};

}  // namespace floodgate::guard
