#include "cluster/start_turn.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>

#include "base/eventually.hpp"
#include "store/redis/redis_fixture.hpp"

namespace floodgate::cluster {
namespace {

constexpr start_turn_options one_look{.patience = milliseconds(0)};
constexpr start_turn_options patient{.patience = milliseconds(30'000)};

struct StartTurnTest : testing::Test {
    void SetUp() override {
        FLOODGATE_NEED_REDIS(false);
        redis_ = std::make_unique<store::redis>(store::shared_redis(false));
    }
    const std::string name_ = store::random_name("turn");
    const std::string key_ = name_ + ":start";
    std::unique_ptr<store::redis> redis_;
};

TEST_F(StartTurnTest, OneNodeAtATimeStarts) {
    std::optional<start_turn> first(std::in_place, *redis_, name_);
    EXPECT_THROW(start_turn(*redis_, name_, one_look), std::runtime_error);
    first.reset();
    EXPECT_NO_THROW(start_turn(*redis_, name_, one_look));
}

TEST_F(StartTurnTest, TheNextNodeWaitsUntilTheFirstIsDone) {
    std::optional<start_turn> first(std::in_place, *redis_, name_);
    std::atomic<bool> first_is_done{false}, second_is_there{false};
    std::thread second([&] {
        second_is_there = true;
        const start_turn mine(*redis_, name_, patient);
        EXPECT_TRUE(first_is_done);
    });
    EXPECT_TRUE(eventually([&] { return second_is_there.load(); }));
    first_is_done = true;
    first.reset();
    second.join();
}

TEST_F(StartTurnTest, OfADeadNodeEndsByItself) {
    // The lock of a node that was killed.
    ASSERT_TRUE(redis_->ask(key_, {"SET", key_, "dead", "PX", "500"}));
    EXPECT_NO_THROW(start_turn(*redis_, name_, patient));
}

TEST_F(StartTurnTest, LastsAsLongAsItIsHeld) {
    const start_turn slow(*redis_, name_,
                          {.turn = milliseconds(60'000), .renew_every = milliseconds(10)});
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(redis_->ask(key_, {"PEXPIRE", key_, "30000"}));
        EXPECT_TRUE(eventually([&] {
            return redis_->ask(key_, {"PTTL", key_})->integer > 30'000;
        }));
    }
    EXPECT_THROW(start_turn(*redis_, name_, one_look), std::runtime_error);
}

}  // namespace
}  // namespace floodgate::cluster
