// Shares rate limiters among several nodes: a try that one node allows counts on the others too.
//
// Each node decides by its own limiter, without asking the others. Several times a second it tells
// Redis what it took from well-used buckets, and takes over what these lack over all nodes. So at
// first nodes may together allow a little more than one would, and make up for it afterwards.
// Honest buyers, who never come near their limit, cause no traffic to Redis. While Redis is
// unreachable, every node limits for itself.
//
// Keys: NAME:limit:{l<0..15>}:<limiter>:<key> = when the bucket is full again, in microseconds of
// Redis' clock. The key expires when the bucket is full.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "guard/rate_limiter.hpp"
#include "store/redis/redis.hpp"

namespace floodgate::guard {

class shared_limits {
public:
    static constexpr std::size_t keys_max = 65'536;  // of one limiter, at a time

    // The clocks of the nodes may differ, so buckets are filled by that of Redis. Tests that do not
    // want to wait fill them by the time they pass to exchange().
    enum class time_source : std::uint8_t { redis = 1, caller };
    shared_limits(store::redis& redis, std::string name, time_source time = time_source::redis)
        : redis_(redis), name_(std::move(name)), time_(time) {}

    // To be called before the limiter is used. A bucket is shared once the part `share_from` (0 to
    // 1) of its burst is used.
    void add(std::string name, rate_limiter& limiter, double share_from);

    // To be called about every 200 ms, by one thread. False: Redis did not answer all of it. What
    // was not told then is never told, because later it would count as taken at that time.
    bool exchange(instant now);

private:
    struct shared {
        std::string name;
        rate_limiter* limiter;
    };
    bool exchange(const shared& s, instant now);
    bool tell(const shared& s, std::span<const rate_limiter::usage> some, instant now);
    std::string key_of(const shared& s, std::uint64_t key) const;

    store::redis& redis_;
    const std::string name_;
    const time_source time_;
    std::vector<shared> limiters_;
};

}  // namespace floodgate::guard
