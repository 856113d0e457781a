#include "store/redis/errors.hpp"

#include <gtest/gtest.h>

namespace floodgate::store {
namespace {

using next = redis_step::kind;

TEST(RedisError, SaysWhetherTheCommandWasExecuted) {
    const auto moved = read_redis_error("MOVED 3999 127.0.0.1:6381", "h:1");
    EXPECT_EQ(moved.what, redis_says::moved);
    EXPECT_EQ(moved.slot, 3999);
    EXPECT_EQ(moved.address, "127.0.0.1:6381");
    EXPECT_EQ(read_redis_error("MOVED 3999 :6381", "h:1").address, "h:6381");
    EXPECT_EQ(read_redis_error("MOVED 3999 ::1:6381", "h:1").address, "[::1]:6381");
    EXPECT_EQ(read_redis_error("MOVED 3999 :6381", "[::1]:1").address, "[::1]:6381");
    EXPECT_EQ(read_redis_error("ASK 1 a:2", "h:1").what, redis_says::ask);
    EXPECT_EQ(read_redis_error("TRYAGAIN Multiple keys", "h:1").what, redis_says::try_again);
    EXPECT_EQ(read_redis_error("CLUSTERDOWN The cluster", "h:1").what, redis_says::cluster_down);
    EXPECT_EQ(read_redis_error("READONLY You can't", "h:1").what, redis_says::read_only);
    EXPECT_EQ(read_redis_error("LOADING Redis is", "h:1").what, redis_says::loading);
    EXPECT_EQ(read_redis_error("BUSYGROUP Consumer", "h:1").what, redis_says::refused);
    EXPECT_EQ(read_redis_error("MOVED", "h:1").what, redis_says::refused);
    EXPECT_EQ(read_redis_error("MOVED 1 nowhere", "h:1").what, redis_says::refused);
    EXPECT_EQ(read_redis_error("NOSCRIPT No matching", "h:1").what, redis_says::unknown_script);
    EXPECT_EQ(read_redis_error("", "h:1").what, redis_says::refused);
}

// The whole table: what each error leads to, with a cluster and without.
struct policy_case {
    const char* error;
    next with_cluster, without;
    bool pauses, asking, whole;
};

class RedisErrorPolicy : public testing::TestWithParam<policy_case> {};

TEST_P(RedisErrorPolicy, IsTheSameForBothClients) {
    const redis_script script("return 1");
    const redis_command command = to_run(script, {"a"}, {});
    const policy_case& c = GetParam();
    for (const bool cluster : {true, false}) {
        redis_sending how{.asking = true, .whole = false};
        const auto step = step_after(read_redis_error(c.error, "h:1"), command, how, cluster);
        EXPECT_EQ(step.what, cluster ? c.with_cluster : c.without);
        EXPECT_EQ(step.pause.count() > 0, c.pauses);
        EXPECT_EQ(how.asking, c.asking) << "ASKING is for once";
        EXPECT_EQ(how.whole, c.whole);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Errors, RedisErrorPolicy,
    testing::Values(
        policy_case{"MOVED 1 a:2", next::send_again, next::give_up, false, false, false},
        policy_case{"ASK 1 a:2", next::send_again, next::send_again, false, true, false},
        policy_case{"TRYAGAIN", next::send_again, next::send_again, true, false, false},
        policy_case{"CLUSTERDOWN", next::send_again, next::send_again, true, false, false},
        policy_case{"READONLY", next::send_again, next::send_again, true, false, false},
        policy_case{"LOADING", next::give_up, next::give_up, false, false, false},
        policy_case{"MASTERDOWN", next::give_up, next::give_up, false, false, false},
        policy_case{"BUSY", next::give_up, next::give_up, false, false, false},
        policy_case{"NOSCRIPT", next::send_again, next::send_again, false, false, true},
        policy_case{"WRONGTYPE", next::deliver, next::deliver, false, false, false}));

TEST(RedisError, ANoscriptOfACommandIsItsAnswer) {
    redis_sending how;
    const redis_command command{"", {"EVALSHA", "0", "0"}};
    const auto step = step_after({redis_says::unknown_script}, command, how, false);
    EXPECT_EQ(step.what, next::deliver);
}

}  // namespace
}  // namespace floodgate::store
