// The bus when Redis is away.

#include "cluster/redis_bus.hpp"

#include <gtest/gtest.h>

#include "cluster/lease_fixture.hpp"

namespace floodgate::cluster {
namespace {

TEST(RedisBus, ComesBackAfterARestartAndSaysWhatWaited) {
    store::own_redis server;
    store::redis redis(server.options());
    redis_bus a(redis, {});
    redis_bus b(redis, {});
    std::atomic<int> heard{0};
    a.start([](auto, auto) {});
    b.start([&](auto, auto) { ++heard; });
    ASSERT_TRUE(soon([&] { return b.read_figures().connected; }));
    server.kill();
    ASSERT_TRUE(soon([&] { return !b.read_figures().connected; }));
    for (int i = 0; i < 10; ++i) a.publish("x", "y");
    server.start();
    ASSERT_TRUE(soon([&] { return b.read_figures().connected; }));
    EXPECT_EQ(b.read_figures().rejoined, 1U) << "what was said meanwhile was missed";
    a.publish("x", "z");
    EXPECT_TRUE(soon([&] { return heard >= 1; }));
    EXPECT_TRUE(soon([&] { return a.read_figures().published == 11; }));
}

TEST(RedisBus, NoticesASilentServer) {
    store::own_redis server;
    store::redis redis(server.options());
    redis_bus_options options;
    options.ping_every = milliseconds(100);
    redis_bus a(redis, options);
    a.start([](auto, auto) {});
    ASSERT_TRUE(soon([&] { return a.read_figures().connected; }));
    std::this_thread::sleep_for(milliseconds(500));
    EXPECT_TRUE(a.read_figures().connected) << "silence alone is nothing bad";
    server.freeze();
    EXPECT_TRUE(soon([&] { return !a.read_figures().connected; }));
    server.thaw();
    EXPECT_TRUE(soon([&] { return a.read_figures().connected; }));
}

TEST(RedisBus, DropsTheOldestWhenTooManyWait) {
    store::own_redis server;
    store::redis redis(server.options());
    server.kill();
    redis_bus_options options;
    options.waiting_max = 10;
    redis_bus a(redis, options);
    for (int i = 0; i < 25; ++i) a.publish("x", std::to_string(i));
    EXPECT_EQ(a.read_figures().dropped, 15U);
    options.waiting_max = 1000;
    options.waiting_bytes_max = 3000;
    redis_bus b(redis, options);
    for (int i = 0; i < 25; ++i) b.publish("x", std::string(1000, 'x'));
    EXPECT_EQ(b.read_figures().dropped, 23U);
}

TEST(RedisBus, StopsSoonAlthoughNobodyAnswers) {
    store::own_redis server;
    store::redis redis(server.options());
    redis_bus a(redis, {});
    a.start([](auto, auto) {});
    ASSERT_TRUE(soon([&] { return a.read_figures().connected; }));
    server.freeze();
    a.publish("x", "y");
    const auto start = std::chrono::steady_clock::now();
    a.stop();
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

}  // namespace
}  // namespace floodgate::cluster
