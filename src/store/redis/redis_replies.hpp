// What hiredis has read, as our own value: for the blocking client and for the link.

#pragma once

#include "store/redis/redis.hpp"

struct redisReply;

namespace floodgate::store {

redis_reply to_reply(const redisReply& from);

}  // namespace floodgate::store
