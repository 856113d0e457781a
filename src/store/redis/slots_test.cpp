#include "store/redis/slots.hpp"

#include <gtest/gtest.h>

namespace floodgate::store {
namespace {

using kind = redis_reply::kind;

redis_reply text(std::string value) { return {kind::text, 0, std::move(value), {}}; }
redis_reply number(std::int64_t value) { return {kind::integer, value, {}, {}}; }
redis_reply list(std::vector<redis_reply> items) { return {kind::array, 0, {}, std::move(items)}; }

TEST(RedisSlot, IsTheCrc16OfTheKey) {
    EXPECT_EQ(redis_slot("123456789"), 0x31C3);
    EXPECT_EQ(redis_slot(""), 0);
    EXPECT_EQ(redis_slot("foo"), 12182);
}

TEST(RedisSlot, IsThatOfTheHashTag) {
    EXPECT_EQ(redis_slot("fg:{123456789}:line"), 12739);
    EXPECT_EQ(redis_slot("{user1000}.following"), redis_slot("user1000"));
    EXPECT_EQ(redis_slot("foo{{bar}}zap"), redis_slot("{bar"));
    EXPECT_EQ(redis_slot("foo{bar}{zap}"), redis_slot("bar"));
    EXPECT_NE(redis_slot("foo{}{bar}"), redis_slot("bar")) << "an empty tag is none";
    EXPECT_NE(redis_slot("foo{bar"), redis_slot("bar"));
}

TEST(RedisSlots, AreReadFromTheServersAnswer) {
    const auto slots = redis_slots::from(
        list({list({number(0), number(8000), list({text("10.0.0.1"), number(7000), text("id")}),
                    list({text("10.0.0.2"), number(7001), text("id")})}),
              list({number(8001), number(16383), list({text(""), number(7002), text("id")})})}),
        "192.168.0.9:7000");
    ASSERT_TRUE(slots);
    EXPECT_EQ(slots->server_of(0), "10.0.0.1:7000");
    EXPECT_EQ(slots->server_of(8000), "10.0.0.1:7000");
    EXPECT_EQ(slots->server_of(8001), "192.168.0.9:7002") << "no host: the one that was asked";
    EXPECT_EQ(slots->replicas(), std::vector<std::string>{"10.0.0.2:7001"});
    EXPECT_TRUE(slots->complete());
}

TEST(RedisSlots, LearnOfOneThatMoved) {
    auto slots = redis_slots::from(
        list({list({number(0), number(9), list({text("a"), number(1)})})}), "x:1");
    ASSERT_TRUE(slots);
    EXPECT_FALSE(slots->complete());
    slots->moved(5, "b:2");
    EXPECT_EQ(slots->server_of(4), "a:1");
    EXPECT_EQ(slots->server_of(5), "b:2");
    EXPECT_EQ(slots->server_of(10), "");
}

TEST(RedisSlots, RefuseNonsense) {
    EXPECT_FALSE(redis_slots::from(text("OK"), "x:1"));
    EXPECT_FALSE(redis_slots::from(list({text("OK")}), "x:1"));
    EXPECT_FALSE(redis_slots::from(
        list({list({number(0), number(16384), list({text("a"), number(1)})})}), "x:1"));
    EXPECT_FALSE(redis_slots::from(list({list({number(0), number(1), text("a")})}), "x:1"));
}

TEST(RedisSlots, PutBracketsAroundAnIpv6Address) {
    const auto slots = redis_slots::from(
        list({list({number(0), number(9), list({text("::1"), number(7000)})})}), "x:1");
    ASSERT_TRUE(slots);
    EXPECT_EQ(slots->server_of(0), "[::1]:7000");
}

}  // namespace
}  // namespace floodgate::store
