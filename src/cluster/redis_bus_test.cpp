// The bus when Redis is away.

#include "cluster/redis_bus.hpp"

#include <gtest/gtest.h>

#include "cluster/lease_fixture.hpp"

namespace floodgate::cluster {
namespace {

// For tests in which the server is never silent: an answer that takes long is no failure.
store::redis_options unhurried(const store::own_redis& server) {
    store::redis_options o = server.options();
    o.command_timeout = milliseconds(30'000);
    return o;
}

TEST(RedisBus, ComesBackAfterARestartAndSaysWhatWaited) {
    store::own_redis server;
    store::redis redis(unhurried(server));
    redis_bus a(redis, {});
    redis_bus b(redis, {});
    std::atomic<int> heard{0};
    a.start([](auto, auto) {});
    b.start([&](auto, auto) { ++heard; });
    ASSERT_TRUE(eventually([&] { return b.read_figures().connected; }));
    server.kill();
    ASSERT_TRUE(eventually([&] { return !b.read_figures().connected; }));
    for (int i = 0; i < 10; ++i) a.publish("x", "y");
    server.start();
    ASSERT_TRUE(eventually([&] { return b.read_figures().connected; }));
    EXPECT_EQ(b.read_figures().rejoined, 1U) << "what was said meanwhile was missed";
    a.publish("x", "z");
    EXPECT_TRUE(eventually([&] { return heard >= 1; }));
    EXPECT_TRUE(eventually([&] { return a.read_figures().published == 11; }));
}

// How many PINGs the server has answered.
int pings_of(store::redis& redis) {
    const std::string all = redis.ask("", {"INFO", "commandstats"})->text;
    constexpr std::string_view head = "cmdstat_ping:calls=";
    const std::size_t at = all.find(head);
    return at == std::string::npos ? 0 : std::stoi(all.substr(at + head.size()));
}

TEST(RedisBus, TakesSilenceAloneForNothingBad) {
    store::own_redis server;
    store::redis redis(unhurried(server));
    redis_bus_options options;
    options.ping_every = milliseconds(20);
    redis_bus a(redis, options);
    a.start([](auto, auto) {});
    ASSERT_TRUE(eventually([&] { return a.read_figures().connected; }));
    const int before = pings_of(redis);
    ASSERT_TRUE(eventually([&] { return pings_of(redis) >= before + 3; }));
    EXPECT_TRUE(a.read_figures().connected);
    EXPECT_EQ(a.read_figures().rejoined, 0U);
}

TEST(RedisBus, NoticesASilentServer) {
    store::own_redis server;
    store::redis redis(server.impatient());
    redis_bus_options options;
    options.ping_every = milliseconds(100);
    redis_bus a(redis, options);
    a.start([](auto, auto) {});
    ASSERT_TRUE(eventually([&] { return a.read_figures().connected; }));
    server.freeze();
    EXPECT_TRUE(eventually([&] { return !a.read_figures().connected; }));
    server.thaw();
    EXPECT_TRUE(eventually([&] { return a.read_figures().connected; }));
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
    store::redis redis(server.impatient());
    redis_bus a(redis, {});
    a.start([](auto, auto) {});
    ASSERT_TRUE(eventually([&] { return a.read_figures().connected; }));
    server.freeze();
    a.publish("x", "y");
    const auto start = std::chrono::steady_clock::now();
    a.stop();
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

}  // namespace
}  // namespace floodgate::cluster
