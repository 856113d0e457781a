#include "store/redis/redis.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "base/eventually.hpp"
#include "store/redis/dedicated_connection.hpp"
#include "store/redis/facts.hpp"
#include "store/redis/redis_fixture.hpp"

namespace floodgate::store {
namespace {

using kind = redis_reply::kind;

TEST(RedisAddress, IsAHostAndAPort) {
    for (const char* bad : {"", "localhost", "localhost:", ":6379", "a:0", "a:65536", "a:1x"}) {
        redis_options options;
        options.addresses = {"127.0.0.1:6379", bad};
        EXPECT_THROW(redis{options}, std::runtime_error) << bad;
    }
    redis_options none;
    none.addresses.clear();
    EXPECT_THROW(redis{none}, std::runtime_error);
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

TEST_P(RedisTest, RunsAnUnknownScriptAmongManyCommands) {
    redis r(options_);
    const redis_script script("return {KEYS[1], ARGV[1], '" + name_ + "'}");
    std::vector<redis::command> commands;
    for (int i = 0; i < 10; ++i) {
        const std::string key = name_ + std::to_string(i);
        commands.push_back(to_run(script, {key}, {std::to_string(i)}));
        commands.push_back({key, {"GET", key}});
    }
    const auto replies = r.ask_all(commands);
    ASSERT_TRUE(replies);
    for (std::size_t i = 0; i < 10; ++i) {
        ASSERT_EQ((*replies)[2 * i].items.size(), 3U);
        EXPECT_EQ((*replies)[2 * i].items[1].text, std::to_string(i));
        EXPECT_TRUE((*replies)[2 * i + 1].is_nil());
    }
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
    dedicated_connection line(r);
    EXPECT_TRUE(line.ask(name_, {"BLPOP", name_, "0.05"}, milliseconds(50))->is_nil());
    const auto start = std::chrono::steady_clock::now();
    std::jthread other([&] {
        EXPECT_TRUE(eventually([&] {
            const auto clients = r.ask(name_, {"CLIENT", "LIST"});
            return clients && clients->text.find("cmd=blpop") != std::string::npos;
        })) << "nobody waits";
        line.interrupt();
    });
    EXPECT_EQ(line.ask(name_, {"BLPOP", name_, "30"}, milliseconds(30'000)).error(),
              errc::store_unavailable);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(25));
    EXPECT_FALSE(line.ask(name_, {"GET", name_}, milliseconds(0))) << "until resume()";
    line.resume();
    EXPECT_TRUE(line.ask(name_, {"GET", name_}, milliseconds(0)));
}

TEST_P(RedisTest, ALineTellsWhatTheServerSaid) {
    redis r(options_);
    dedicated_connection line(r);
    const auto reply =
        line.ask(name_, {"XREADGROUP", "GROUP", "g", "c", "STREAMS", name_, ">"}, milliseconds(0));
    EXPECT_EQ(reply.error(), errc::rejected);
    EXPECT_TRUE(line.last_error().starts_with("NOGROUP")) << line.last_error();
}

TEST_P(RedisTest, ALineHearsWhatItSubscribedTo) {
    redis r(options_);
    dedicated_connection line(r);
    ASSERT_TRUE(line.ask("", {"SUBSCRIBE", name_}, milliseconds(0)));
    EXPECT_TRUE(line.hear(milliseconds(20))->is_nil());
    ASSERT_TRUE(r.ask("", {"PUBLISH", name_, "hello"}));
    const auto heard = line.hear(milliseconds(5000));
    ASSERT_TRUE(heard);
    ASSERT_EQ(heard->items.size(), 3U);
    EXPECT_EQ(heard->items[2].text, "hello");
}

TEST_P(RedisTest, LooksAtTheServer) {
    const redis_facts facts = probe_redis(options_);
    EXPECT_TRUE(facts.kind == "redis" || facts.kind == "valkey");
    EXPECT_GE(facts.version, "7");
    EXPECT_TRUE(facts.append_fsync == "always" || facts.append_fsync == "everysec");
    EXPECT_FALSE(facts.eviction.empty());
    EXPECT_LT(std::chrono::abs(facts.clock_apart), milliseconds(2000));
}

TEST_P(RedisTest, SaysWhenItIsACluster) {
    options_.cluster = !options_.cluster;
    try {
        probe_redis(options_);
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
