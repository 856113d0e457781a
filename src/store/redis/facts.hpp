// What a Redis server says about itself.

#pragma once

#include <string>
#include <string_view>

#include "store/redis/options.hpp"

namespace floodgate::store {

// What was found at start, for the decision whether it is durable enough.
struct redis_facts {
    std::string kind;             // "redis", "valkey"
    std::string version;          // "7.0.15"
    bool append_only = false;     // appendonly yes
    std::string append_fsync;     // "always", "everysec", "no"; empty: it may not be read
    std::string eviction;         // maxmemory-policy
    milliseconds clock_apart{0};  // its clock minus ours
};

// Looks at every server that holds keys and gives the weakest value of each fact. Throws
// std::runtime_error with one clear line: no answer at HOST:PORT, the password is wrong, the server
// is older than 7.0, it is (not) a cluster.
redis_facts probe_redis(const redis_options& options);  // probe.cpp

// The value of a line "field:value" of INFO; empty: it is not there.
std::string info_field(std::string_view info, std::string_view field);

// kind, version and append_only, from INFO.
redis_facts read_redis_info(std::string_view info);

// Throws std::runtime_error when it is older than 7.0: "redis 6.0.16 is too old: ...".
void demand_redis_7(const redis_facts& facts, const std::string& address);

// Of two servers, the weaker promise of each.
redis_facts weaker(const redis_facts& a, const redis_facts& b);

}  // namespace floodgate::store
