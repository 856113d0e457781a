#include "store/redis/facts.hpp"

#include <gtest/gtest.h>

namespace floodgate::store {
namespace {

TEST(RedisFacts, KnowRedisFromValkey) {
    const auto redis = read_redis_info("# Server\r\nredis_version:7.0.15\r\naof_enabled:1\r\n");
    EXPECT_EQ(redis.kind, "redis");
    EXPECT_EQ(redis.version, "7.0.15");
    EXPECT_TRUE(redis.append_only);
    const auto valkey = read_redis_info(
        "redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.0.1\r\naof_enabled:0\r\n");
    EXPECT_EQ(valkey.kind, "valkey");
    EXPECT_EQ(valkey.version, "8.0.1");
    EXPECT_FALSE(valkey.append_only);
}

TEST(RedisFacts, RefuseWhatIsTooOld) {
    try {
        demand_redis_7(read_redis_info("redis_version:6.0.16\r\n"), "a:1");
        FAIL() << "it is too old";
    } catch (const std::runtime_error& e) {
        EXPECT_STREQ(e.what(), "a:1: redis 6.0.16 is too old: 7.0 or newer is needed");
    }
    EXPECT_THROW(demand_redis_7({}, "a:1"), std::runtime_error);
    EXPECT_NO_THROW(demand_redis_7(read_redis_info("redis_version:7.0.0\r\n"), "a:1"));
    EXPECT_NO_THROW(demand_redis_7(read_redis_info("redis_version:10.1\r\n"), "a:1"));
}

TEST(RedisFacts, OfSeveralServersAreTheWeakest) {
    const redis_facts strong{"redis", "7.0.15", true, "always", "noeviction", milliseconds(1)};
    const redis_facts weak{"redis", "7.0.4", false, "everysec", "allkeys-lru", milliseconds(-5)};
    for (const redis_facts& f : {weaker(strong, weak), weaker(weak, strong)}) {
        EXPECT_EQ(f.version, "7.0.4");
        EXPECT_FALSE(f.append_only);
        EXPECT_EQ(f.append_fsync, "everysec");
        EXPECT_EQ(f.eviction, "allkeys-lru");
        EXPECT_EQ(f.clock_apart, milliseconds(-5));
    }
}

}  // namespace
}  // namespace floodgate::store
