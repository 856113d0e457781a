// What a Redis server says about itself, read.

#pragma once

#include <string>
#include <string_view>

#include "store/redis/redis.hpp"

namespace floodgate::store {

// The value of a line "field:value" of INFO; empty: it is not there.
std::string info_field(std::string_view info, std::string_view field);

// kind, version and append_only, from INFO.
redis_facts read_redis_info(std::string_view info);

// Throws std::runtime_error when it is older than 7.0: "redis 6.0.16 is too old: ...".
void demand_redis_7(const redis_facts& facts, const std::string& address);

// Of two servers, the weaker promise of each.
redis_facts weaker(const redis_facts& a, const redis_facts& b);

}  // namespace floodgate::store
