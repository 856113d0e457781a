// A rate limiter with a token bucket for each key (a user or an address).
//
// A bucket starts full with `burst` tokens and gets `rate_per_s` more each second. One try takes
// one token; a refused try takes none.
//
// Memory is fixed: a table of sets of eight buckets. A key belongs to one set. A full bucket is the
// same as a new one, so it can be used for another key; when none of the eight is full, the one
// closest to full is reused.
//
// An attacker with many keys (a botnet, a large IPv6 network) gets a burst for each new key, which
// no limiter by key can prevent. With more than `keys_max` keys in use at once, some buckets are
// forgotten early, and their owners get a new burst. No key is ever refused because of another key.
// Which keys share a set is a secret of the process, so an attacker cannot aim at a bucket.

#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <array>
#include <atomic>
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

    // Takes over another rate and burst, also "unlimited". False: this limiter has no buckets,
    // because it was made without a limit; nothing was changed. Throws like the constructor. Any
    // thread.
    bool change(const rate_limit& limit);

    // Zero: allowed. Otherwise the try is refused, and the result says how long until one token is
    // back: at least 1 ms. If `now` goes back, no time has passed. Any thread, no allocation.
    milliseconds try_take(std::uint64_t key, instant now);
    // What try_take() would say; nothing is taken. For limits that count failures only.
    milliseconds wait_for(std::uint64_t key, instant now);
    // Puts a token back that was taken without need, if the bucket is still remembered. Any thread,
    // no allocation.
    void give_back(std::uint64_t key);

    // For the nodes of a cluster, which share their limiters: guard/shared_limits.hpp.
    // An amount is in nanoseconds of refilling: how long the bucket needs to get it back.
    using nanoseconds = std::int64_t;
    struct usage {
        std::uint64_t key = 0;
        nanoseconds taken = 0;  // below 0: more was given back than taken
    };
    // To be called before the first try: from now on notes what is taken from buckets of which at
    // least the part `from` (0 to 1) is used, for at most `keys_max` keys at a time.
    void share(double from, std::size_t keys_max);
    // What was taken from each of these buckets since the last call.
    std::vector<usage> take_usage(instant now);
    // Sets the bucket of a key to lack `missing`, the sum over all nodes, which includes everything
    // that take_usage() has given. At most twice what an empty bucket lacks, plus two seconds: this
    // makes up for tries that were allowed before the nodes had told each other.
    void merge(std::uint64_t key, nanoseconds missing, instant now);

private:
    // A bucket is one number: the time at which it is full again (the "theoretical arrival time" of
    // the generic cell rate algorithm). If that lies in the past, it is full.
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
        // For buckets that lack more than share_above_: what was taken and not told yet. An entry
        // stays until its bucket is full again, so that nothing is told twice.
        boost::unordered_flat_map<std::uint64_t, nanoseconds> untold;
    };
    static constexpr std::size_t shards = 64;

    nanoseconds time_of(shard& s, instant now) const;
    milliseconds take(shard& s, bucket& b, nanoseconds time) const;
    void note(shard& s, const bucket& b, nanoseconds time) const;
    bucket* find(std::uint64_t key);
    std::size_t set_of(std::uint64_t key) const;

    std::atomic<bool> unlimited_{true};
    // These two change under the locks of all shards, and are read under that of any.
    nanoseconds per_token_ = 0;
    nanoseconds to_fill_ = 0;                                            // of an empty bucket
    nanoseconds share_above_ = std::numeric_limits<nanoseconds>::max();  // see `untold`
    std::size_t untold_max_ = 0;                                         // in each shard
    std::uint64_t secret_ = 0;
    std::vector<set> sets_;  // a power of two of them
    std::array<shard, shards> shards_;
};

}  // namespace floodgate::guard
