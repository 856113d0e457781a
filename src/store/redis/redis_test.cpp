#include "store/redis/redis.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "store/redis/redis_facts.hpp"
#include "store/redis/redis_fixture.hpp"
#include "store/redis/redis_slots.hpp"
#include "store/redis/redis_wire.hpp"

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

TEST(RedisError, SaysWhetherTheCommandWasExecuted) {
    const auto moved = read_redis_error("MOVED 3999 127.0.0.1:6381", "h:1");
    EXPECT_EQ(moved.what, redis_says::moved);
    EXPECT_EQ(moved.slot, 3999);
    EXPECT_EQ(moved.address, "127.0.0.1:6381");
    EXPECT_EQ(read_redis_error("MOVED 3999 :6381", "h:1").address, "h:6381");
    EXPECT_EQ(read_redis_error("ASK 1 a:2", "h:1").what, redis_says::ask);
    EXPECT_EQ(read_redis_error("TRYAGAIN Multiple keys", "h:1").what, redis_says::try_again);
    EXPECT_EQ(read_redis_error("CLUSTERDOWN The cluster", "h:1").what, redis_says::cluster_down);
    EXPECT_EQ(read_redis_error("READONLY You can't", "h:1").what, redis_says::read_only);
    EXPECT_EQ(read_redis_error("LOADING Redis is", "h:1").what, redis_says::loading);
    EXPECT_EQ(read_redis_error("BUSYGROUP Consumer", "h:1").what, redis_says::refused);
    EXPECT_EQ(read_redis_error("MOVED", "h:1").what, redis_says::refused);
    EXPECT_EQ(read_redis_error("", "h:1").what, redis_says::refused);
}

TEST(RedisAddress, IsAHostAndAPort) {
    EXPECT_EQ(parse_redis_address("localhost:6379").host, "localhost");
    EXPECT_EQ(parse_redis_address("[::1]:6379").host, "::1");
    EXPECT_EQ(parse_redis_address("[::1]:6379").port, 6379);
    for (const char* bad : {"", "localhost", "localhost:", ":6379", "a:0", "a:65536", "a:1x"})
        EXPECT_THROW((void)parse_redis_address(bad), std::runtime_error) << bad;
}

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

TEST(RedisScript, IsKnownByItsSha1) {
    EXPECT_EQ(redis_script("return 1").sha(), "e0e1f9fabfc9d4800c877a703b823ac0578ff8db");
}

// The same on a plain server and on a cluster.
class RedisTest : public testing::TestWithParam<bool> {
protected:
    void SetUp() override { FLOODGATE_NEED_REDIS(GetParam()); }
    redis_options options_ = shared_redis(GetParam());
    std::string name_ = random_name();
};

TEST_P(RedisTest, AsksAndIsAnswered) {
    redis r(options_);
    const std::string key = name_ + ":a";
    EXPECT_EQ(r.ask(key, {"SET", key, std::string("b\0\r\nc", 5), "PX", "10000"})->text, "OK");
    EXPECT_EQ(r.ask(key, {"GET", key})->text, std::string("b\0\r\nc", 5));
    EXPECT_TRUE(r.ask(key, {"GET", key + "x{" + key + "}"})->is_nil());
    EXPECT_EQ(r.ask(key, {"DEL", key})->integer, 1);
}

TEST_P(RedisTest, GivesWhatTheServerRefusesAsRejected) {
    redis r(options_);
    EXPECT_EQ(r.ask(name_, {"SET", name_}).error(), errc::rejected);
    EXPECT_EQ(r.ask(name_, {"SET", name_, "1", "PX", "10000"})->text, "OK");
}

TEST_P(RedisTest, RunsAScriptThatTheServerDoesNotKnowYet) {
    redis r(options_);
    const redis_script script("return {KEYS[1], ARGV[1], '" + name_ + "'}");
    for (int i = 0; i < 2; ++i) {
        const auto reply = r.run(script, {name_}, {"x"});
        ASSERT_TRUE(reply);
        ASSERT_EQ(reply->items.size(), 3U);
        EXPECT_EQ(reply->items[1].text, "x");
    }
    ASSERT_TRUE(r.ask(name_, {"SCRIPT", "FLUSH"}));
    EXPECT_TRUE(r.run(script, {name_}, {"x"})) << "and one that it forgot";
}

TEST_P(RedisTest, AnswersManyCommandsInTheirOrder) {
    redis r(options_);
    std::vector<redis::command> commands;
    for (int i = 0; i < 2500; ++i) {
        const std::string key = name_ + std::to_string(i);
        commands.push_back({key, {"SET", key, std::to_string(i), "PX", "10000"}});
        commands.push_back({key, {"GET", key}});
    }
    commands.push_back({name_, {"NONSENSE"}});
    const auto replies = r.ask_all(commands);
    ASSERT_TRUE(replies);
    ASSERT_EQ(replies->size(), 5001U);
    for (std::size_t i = 0; i < 2500; ++i) ASSERT_EQ((*replies)[2 * i + 1].text, std::to_string(i));
    EXPECT_EQ(replies->back().what, kind::error);
}

TEST_P(RedisTest, SharesFewConnectionsAmongManyThreads) {
    options_.connections_max = 2;
    redis r(options_);
    std::vector<std::jthread> threads;
    threads.reserve(8);
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&r, this] {
            for (int i = 0; i < 100; ++i) ASSERT_TRUE(r.ask(name_, {"INCR", name_}));
        });
    threads.clear();
    EXPECT_EQ(r.ask(name_, {"GET", name_})->text, "800");
    EXPECT_TRUE(r.ask(name_, {"DEL", name_}));
}

TEST_P(RedisTest, ALineWaitsAndCanBeInterrupted) {
    redis r(options_);
    const auto line = r.open_line();
    EXPECT_TRUE(line->ask(name_, {"BLPOP", name_, "0.05"}, milliseconds(50))->is_nil());
    const auto start = std::chrono::steady_clock::now();
    std::jthread other([&] {
        std::this_thread::sleep_for(milliseconds(100));
        line->interrupt();
    });
    EXPECT_EQ(line->ask(name_, {"BLPOP", name_, "30"}, milliseconds(30'000)).error(),
              errc::store_unavailable);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
    EXPECT_FALSE(line->ask(name_, {"GET", name_}, milliseconds(0))) << "until resume()";
    line->resume();
    EXPECT_TRUE(line->ask(name_, {"GET", name_}, milliseconds(0)));
}

TEST_P(RedisTest, ALineTellsWhatTheServerSaid) {
    redis r(options_);
    const auto line = r.open_line();
    const auto reply =
        line->ask(name_, {"XREADGROUP", "GROUP", "g", "c", "STREAMS", name_, ">"}, milliseconds(0));
    EXPECT_EQ(reply.error(), errc::rejected);
    EXPECT_TRUE(line->last_error().starts_with("NOGROUP")) << line->last_error();
}

TEST_P(RedisTest, ALineHearsWhatItSubscribedTo) {
    redis r(options_);
    const auto line = r.open_line();
    ASSERT_TRUE(line->ask("", {"SUBSCRIBE", name_}, milliseconds(0)));
    EXPECT_TRUE(line->hear(milliseconds(20))->is_nil());
    ASSERT_TRUE(r.ask("", {"PUBLISH", name_, "hello"}));
    const auto heard = line->hear(milliseconds(5000));
    ASSERT_TRUE(heard);
    ASSERT_EQ(heard->items.size(), 3U);
    EXPECT_EQ(heard->items[2].text, "hello");
}

TEST_P(RedisTest, LooksAtTheServer) {
    const redis_facts facts = redis(options_).look();
    EXPECT_TRUE(facts.kind == "redis" || facts.kind == "valkey");
    EXPECT_GE(facts.version, "7");
    EXPECT_TRUE(facts.append_fsync == "always" || facts.append_fsync == "everysec");
    EXPECT_FALSE(facts.eviction.empty());
    EXPECT_LT(std::chrono::abs(facts.clock_apart), milliseconds(2000));
}

TEST_P(RedisTest, SaysWhenItIsACluster) {
    options_.cluster = !options_.cluster;
    try {
        redis(options_).look();
        FAIL() << "it is not what was configured";
    } catch (const std::runtime_error& e) {
        EXPECT_NE(std::string(e.what()).find("part of a Redis Cluster"), std::string::npos)
            << e.what();
    }
    EXPECT_FALSE(redis(options_).ask(GetParam() ? "foo" : "", {"GET", "foo"}) &&
                 redis(options_).ask("bar", {"GET", "bar"}) &&
                 redis(options_).ask("hello", {"GET", "hello"}));
}

std::string name_of(const testing::TestParamInfo<bool>& info) {
    return info.param ? "Cluster" : "Plain";
}
INSTANTIATE_TEST_SUITE_P(Servers, RedisTest, testing::Bool(), name_of);

}  // namespace
}  // namespace floodgate::store
