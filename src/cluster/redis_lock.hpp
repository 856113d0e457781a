// A lock in Redis: a key that names its owner and expires by itself.
//
// Every function checks the owner first, so a lock that now belongs to another owner is left alone.

#pragma once

#include <cstdint>
#include <string>

#include "base/clock.hpp"
#include "store/redis/redis.hpp"

namespace floodgate::cluster {

struct redis_lock {
    std::string key;
    std::string owner;  // made with random_id, so it is unique
};

enum class lock_state : std::uint8_t { ours = 1, not_ours };

// Each gives the errors of store::redis::run.

// not_ours: another owner has it. Taking a lock that this owner has already succeeds, because the
// answer to the first call may have been lost.
result<lock_state> take(store::redis& redis, const redis_lock& lock, milliseconds time);

// not_ours: it has expired, or another owner has it.
result<lock_state> renew(store::redis& redis, const redis_lock& lock, milliseconds time);

// Does nothing if another owner has it. A lock whose release fails expires by itself.
result<void> release(store::redis& redis, const redis_lock& lock);

}  // namespace floodgate::cluster
