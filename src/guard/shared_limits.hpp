// Keeps the rate limiters of several nodes together: what one lets through, the others count too.
//
// Each node decides by its own limiter, without asking the others. Some times a second it tells
// Redis what it took from the buckets that are well used, and takes over what they lack over all
// nodes. So nodes may together let a little more through than one would, at first, and make up for
// it afterwards; honest buyers, who never come near their limit, never reach Redis. While Redis is
// away every node limits for itself.
//
// Keys: NAME:limit:{l<0..15>}:<limiter>:<key> = when the bucket is full again, in microseconds of
// Redis' clock; gone when it is full.

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

    // Before the limiter is used. Its buckets are shared once they are used to `share_from` of
    // their burst, from 0 to 1.
    void add(std::string name, rate_limiter& limiter, double share_from);

    // Call it every 200 ms or so, from one thread. False: Redis was not there for all of it; what
    // was to be told is not told later, when it would count as taken then.
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
