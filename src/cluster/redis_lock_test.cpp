#include "cluster/redis_lock.hpp"

#include <gtest/gtest.h>

#include "base/random_id.hpp"
#include "store/redis/redis_fixture.hpp"

namespace floodgate::cluster {
namespace {

constexpr milliseconds long_enough{60'000};

class RedisLockTest : public testing::TestWithParam<bool> {
protected:
    void SetUp() override {
        FLOODGATE_NEED_REDIS(GetParam());
        redis_ = std::make_unique<store::redis>(store::shared_redis(GetParam()));
    }
    std::int64_t left_ms() { return redis_->ask(mine_.key, {"PTTL", mine_.key})->integer; }
    bool is_there() { return redis_->ask(mine_.key, {"EXISTS", mine_.key})->integer == 1; }

    const redis_lock mine_{store::random_name("lock"), random_id()};
    const redis_lock yours_{mine_.key, random_id()};
    std::unique_ptr<store::redis> redis_;
};

TEST_P(RedisLockTest, HasOneOwner) {
    EXPECT_EQ(take(*redis_, mine_, long_enough).value(), lock_state::ours);
    EXPECT_EQ(take(*redis_, yours_, long_enough).value(), lock_state::not_ours);
    EXPECT_EQ(renew(*redis_, yours_, long_enough).value(), lock_state::not_ours);
    EXPECT_TRUE(release(*redis_, yours_));
    EXPECT_TRUE(is_there()) << "another's release means nothing";
    EXPECT_TRUE(release(*redis_, mine_));
    EXPECT_EQ(take(*redis_, yours_, long_enough).value(), lock_state::ours);
}

TEST_P(RedisLockTest, OfOnesOwnIsTakenAgain) {
    ASSERT_EQ(take(*redis_, mine_, long_enough / 2).value(), lock_state::ours);
    EXPECT_EQ(take(*redis_, mine_, long_enough).value(), lock_state::ours)
        << "the first answer may have been lost";
    EXPECT_GT(left_ms(), long_enough.count() / 2);
}

TEST_P(RedisLockTest, EndsByItselfUnlessItIsRenewed) {
    ASSERT_EQ(take(*redis_, mine_, long_enough / 2).value(), lock_state::ours);
    EXPECT_LE(left_ms(), long_enough.count() / 2);
    EXPECT_EQ(renew(*redis_, mine_, long_enough).value(), lock_state::ours);
    EXPECT_GT(left_ms(), long_enough.count() / 2);
    ASSERT_TRUE(redis_->ask(mine_.key, {"PEXPIRE", mine_.key, "0"}));  // the time has passed
    EXPECT_EQ(renew(*redis_, mine_, long_enough).value(), lock_state::not_ours) << "too late";
    EXPECT_TRUE(release(*redis_, mine_));
    EXPECT_FALSE(is_there());
}

INSTANTIATE_TEST_SUITE_P(Redis, RedisLockTest, testing::Bool(),
                         [](const auto& p) { return p.param ? "Cluster" : "Plain"; });

}  // namespace
}  // namespace floodgate::cluster
