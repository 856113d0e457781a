// Each test has a Redis Cluster of its own, with slots that move and a master that is replaced.

#include <gtest/gtest.h>

#include "store/redis/connection.hpp"
#include "store/redis/dedicated_connection.hpp"
#include "store/redis/facts.hpp"
#include "store/redis/redis_fixture.hpp"
#include "store/redis/slots.hpp"

namespace floodgate::store {
namespace {

std::vector<std::string> cluster_words(int bus_port) {
    return {"--cluster-enabled",
            "yes",
            "--cluster-port",
            std::to_string(bus_port),
            "--cluster-node-timeout",
            "15000",
            "--cluster-require-full-coverage",
            "no",
            "--cluster-allow-replica-migration",
            "no"};
}

struct cluster_node {
    int bus_port = free_port();
    own_redis server{cluster_words(bus_port)};

    // Directly to this server, without following the cluster.
    redis_reply tell(const words& command, bool asking = false) {
        redis_connection to(server.address(), server.options());
        const auto deadline = steady::now() + std::chrono::seconds(5);
        const auto reply = to.ask({"", command}, {.asking = asking}, deadline);
        EXPECT_TRUE(reply) << command.front();
        return reply ? *reply : redis_reply{};
    }
    std::string id() { return tell({"CLUSTER", "MYID"}).text; }
};

template <class Condition>
bool soon(Condition condition) {
    for (int i = 0; i < 1500; ++i) {
        if (condition()) return true;
        std::this_thread::sleep_for(milliseconds(10));
    }
    return false;
}

class RedisClusterTest : public testing::Test {
protected:
    void SetUp() override {
        a_.tell({"CLUSTER", "ADDSLOTSRANGE", "0", "8191"});
        b_.tell({"CLUSTER", "ADDSLOTSRANGE", "8192", "16383"});
        meet(b_);
        ASSERT_TRUE(soon([&] { return sees_all(a_) && sees_all(b_); }));
        options_ = a_.server.options();
        options_.cluster = true;
        redis_ = std::make_unique<redis>(options_);
    }
    void meet(cluster_node& other) {
        a_.tell({"CLUSTER", "MEET", "127.0.0.1", std::to_string(other.server.port()),
                 std::to_string(other.bus_port)});
    }
    static bool sees_all(cluster_node& n) {
        const redis_reply slots = n.tell({"CLUSTER", "SLOTS"});
        const redis_reply info = n.tell({"CLUSTER", "INFO"});
        return slots.items.size() == 2 && info.text.find("cluster_state:ok") != std::string::npos;
    }

    cluster_node a_, b_;
    redis_options options_;
    std::unique_ptr<redis> redis_;
    const std::string key_ = "{bar}";  // slot 5061: a's
};

TEST_F(RedisClusterTest, FollowsASlotThatMoved) {
    ASSERT_EQ(redis_slot(key_), 5061);
    ASSERT_TRUE(redis_->ask(key_, {"GET", key_})) << "knows the old place";
    dedicated_connection line(*redis_);
    ASSERT_TRUE(line.ask(key_, {"GET", key_}, milliseconds(0)));
    b_.tell({"CLUSTER", "SETSLOT", "5061", "NODE", b_.id()});
    a_.tell({"CLUSTER", "SETSLOT", "5061", "NODE", b_.id()});
    ASSERT_TRUE(redis_->ask(key_, {"SET", key_, "moved"}));
    EXPECT_EQ(b_.tell({"GET", key_}).text, "moved");
    EXPECT_EQ(line.ask(key_, {"GET", key_}, milliseconds(0))->text, "moved");
    const auto all = redis_->ask_all({{key_, {"GET", key_}}, {"foo", {"GET", "foo"}}});
    ASSERT_TRUE(all);
    EXPECT_EQ(all->front().text, "moved");
    const auto ran = redis_->run(redis_script("return redis.call('GET', KEYS[1])"), {key_}, {});
    EXPECT_EQ(ran->text, "moved");
}

TEST_F(RedisClusterTest, ManyAtOnceFollowASlotThatMoved) {
    ASSERT_TRUE(redis_->ask(key_, {"GET", key_}));
    b_.tell({"CLUSTER", "SETSLOT", "5061", "NODE", b_.id()});
    a_.tell({"CLUSTER", "SETSLOT", "5061", "NODE", b_.id()});
    const auto all =
        redis_->ask_all({{key_, {"INCR", key_}}, {"foo", {"GET", "foo"}}, {key_, {"INCR", key_}}});
    ASSERT_TRUE(all);
    EXPECT_EQ((*all)[0].integer, 1);
    EXPECT_EQ((*all)[2].integer, 2);
}

TEST_F(RedisClusterTest, AsksWhereASlotIsMovingTo) {
    ASSERT_TRUE(redis_->ask(key_, {"SET", key_ + "here", "a"}));
    b_.tell({"CLUSTER", "SETSLOT", "5061", "IMPORTING", a_.id()});
    a_.tell({"CLUSTER", "SETSLOT", "5061", "MIGRATING", b_.id()});
    ASSERT_TRUE(redis_->ask(key_, {"SET", key_ + "new", "b"}));
    EXPECT_EQ(b_.tell({"GET", key_ + "new"}, true).text, "b");
    EXPECT_EQ(redis_->ask(key_, {"GET", key_ + "here"})->text, "a") << "not moved yet";
    EXPECT_EQ(redis_->ask(key_, {"MGET", key_ + "here", key_ + "new"}).error(),
              errc::store_unavailable)
        << "TRYAGAIN, for as long as the keys are apart";
}

TEST_F(RedisClusterTest, FindsTheReplicaThatTookOver) {
    cluster_node replica;
    meet(replica);
    const std::string master = a_.id();
    ASSERT_TRUE(soon([&] { return replica.tell({"CLUSTER", "REPLICATE", master}).text == "OK"; }));
    ASSERT_TRUE(soon([&] {
        return replica.tell({"INFO", "replication"}).text.find("master_link_status:up") !=
               std::string::npos;
    }));
    ASSERT_TRUE(redis_->ask(key_, {"GET", key_}));
    // Both on one connection: WAIT waits only for the writes of its own client.
    redis_connection to_a(a_.server.address(), a_.server.options());
    const auto until = steady::now() + std::chrono::seconds(10);
    ASSERT_TRUE(to_a.ask({"", {"SET", key_, "1"}}, {}, until));
    ASSERT_EQ(to_a.ask({"", {"WAIT", "1", "5000"}}, {}, until)->integer, 1);
    a_.server.kill();
    EXPECT_FALSE(redis_->ask(key_, {"GET", key_}));
    EXPECT_TRUE(redis_->ask("foo", {"GET", "foo"})) << "the others' slots go on";
    EXPECT_TRUE(redis_->ask("", {"PING"})) << "and where any server will do";
    replica.tell({"CLUSTER", "FAILOVER", "TAKEOVER"});
    EXPECT_TRUE(soon([&] { return static_cast<bool>(redis_->ask(key_, {"GET", key_})); }));
    EXPECT_EQ(redis_->ask(key_, {"GET", key_})->text, "1");
}

TEST_F(RedisClusterTest, IsNotReliedOnWhenSlotsBelongToNobody) {
    a_.tell({"CLUSTER", "DELSLOTS", "0"});
    try {
        probe_redis(options_);
        FAIL() << "slot 0 is nobody's";
    } catch (const std::runtime_error& e) {
        EXPECT_NE(std::string(e.what()).find("not complete"), std::string::npos) << e.what();
    }
}

}  // namespace
}  // namespace floodgate::store
