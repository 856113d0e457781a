// A lock in Redis: a key that names its owner and ends by itself.
//
// Every act looks at the owner first, so a lock that has become another's is left alone.

#pragma once

#include <cstdint>
#include <string>

#include "base/clock.hpp"
#include "store/redis/redis.hpp"

namespace floodgate::cluster {

struct redis_lock {
    std::string key;
    std::string owner;  // a random_id: never the same for two
};

enum class lock_state : std::uint8_t { ours = 1, not_ours };

// Each may fail as store::redis::run does.

// not_ours: another owner has it. A lock that is ours already is taken again: the answer to the
// first taking may have been lost.
result<lock_state> take(store::redis& redis, const redis_lock& lock, milliseconds time);

// not_ours: it has ended, or become another's.
result<lock_state> renew(store::redis& redis, const redis_lock& lock, milliseconds time);

// Unless it is another's. A lock whose release fails ends by itself.
result<void> release(store::redis& redis, const redis_lock& lock);

}  // namespace floodgate::cluster
