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

#include <boost/unordered/unordered_flat_map.hpp>

#include <array>
#include <cstdint>
#include <limits>
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
    // A token that was taken did not have to be: it is put back, as far as the bucket is still
    // remembered. Any thread, no allocation.
    void give_back(std::uint64_t key);

    // For the nodes of a cluster, which tell each other what they let through: guard/shared_limits.
    // An amount is in nanoseconds of refilling: how long the bucket needs to have it back.
    using nanoseconds = std::int64_t;
    struct usage {
        std::uint64_t key = 0;
        nanoseconds taken = 0;  // below 0: more was given back than taken
    };
    // From now on (before the first try) it is noted what is taken from buckets that are used to
    // `from` of their burst or more, from 0 to 1; of `keys_max` keys at a time, others are not.
    void share(double from, std::size_t keys_max);
    // What was taken from each of them since the last call.
    std::vector<usage> take_usage(instant now);
    // The bucket of a key lacks `missing` over all nodes, with all that take_usage() has given. At
    // most twice what an empty one lacks, and two seconds more: payback for what was let through
    // before the nodes had told each other.
    void merge(std::uint64_t key, nanoseconds missing, instant now);

private:
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
        // Of buckets in use beyond share_above_: what was taken and is not told yet. An entry stays
        // until its bucket is full again, so that nothing is told twice.
        boost::unordered_flat_map<std::uint64_t, nanoseconds> untold;
    };
    static constexpr std::size_t shards = 64;

    nanoseconds time_of(shard& s, instant now) const;
    milliseconds take(shard& s, bucket& b, nanoseconds time) const;
    void note(shard& s, const bucket& b, nanoseconds time) const;
    bucket* find(std::uint64_t key);
    std::size_t set_of(std::uint64_t key) const;

    bool unlimited_ = true;
    nanoseconds per_token_ = 0;
    nanoseconds to_fill_ = 0;                                            // an empty bucket
    nanoseconds share_above_ = std::numeric_limits<nanoseconds>::max();  // what is missing
    std::size_t untold_max_ = 0;                                         // in each shard
    std::uint64_t secret_ = 0;
    std::vector<set> sets_;  // a power of two of them
    std::array<shard, shards> shards_;
};

}  // namespace floodgate::guard
