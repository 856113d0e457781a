#include "cluster/start_turn.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "store/redis/redis_fixture.hpp"

namespace floodgate::cluster {
namespace {

TEST(StartTurn, OneNodeAtATimeStarts) {
    FLOODGATE_NEED_REDIS(false);
    store::redis redis(store::shared_redis(false));
    const std::string name = store::random_name("turn");
    std::optional<start_turn> first(std::in_place, redis, name);
    EXPECT_THROW(start_turn(redis, name, milliseconds(300)), std::runtime_error);
    std::atomic<bool> second_has_it{false};
    std::thread second([&] {
        const start_turn mine(redis, name, milliseconds(10'000));
        second_has_it = true;
    });
    std::this_thread::sleep_for(milliseconds(200));
    EXPECT_FALSE(second_has_it);
    first.reset();
    second.join();
    EXPECT_TRUE(second_has_it);
}

TEST(StartTurn, OfADeadNodeEndsByItself) {
    FLOODGATE_NEED_REDIS(false);
    store::redis redis(store::shared_redis(false));
    const std::string name = store::random_name("turn");
    // As a node leaves it that was killed.
    ASSERT_TRUE(redis.ask(name + ":start", {"SET", name + ":start", "dead", "PX", "500"}));
    EXPECT_NO_THROW(start_turn(redis, name, milliseconds(10'000)));
}

TEST(StartTurn, LastsAsLongAsItIsHeld) {
    FLOODGATE_NEED_REDIS(false);
    store::redis redis(store::shared_redis(false));
    const std::string name = store::random_name("turn");
    const start_turn slow(redis, name);
    std::this_thread::sleep_for(milliseconds(6000));  // longer than it would last by itself
    EXPECT_THROW(start_turn(redis, name, milliseconds(300)), std::runtime_error);
}

}  // namespace
}  // namespace floodgate::cluster
