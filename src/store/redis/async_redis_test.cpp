#include "store/redis/async_redis.hpp"

#include <gtest/gtest.h>

#include <poll.h>

#include "store/redis/redis.hpp"
#include "store/redis/redis_fixture.hpp"
#include "store/redis/redis_relay.hpp"

namespace floodgate::store {
namespace {

using outcome = async_redis::outcome;
using std::chrono::steady_clock;

// Counts how often it ran under a key.
const redis_script& counting() {
    static const redis_script script("return redis.call('INCR', KEYS[1])");
    return script;
}

constexpr milliseconds patient{10'000};  // for a reply that comes

class finished {
public:
    async_redis::completion note() {
        ++expected_;
        return [this](outcome what, const redis_reply& reply) {
            outcomes.push_back(what);
            replies.push_back(reply);
        };
    }
    void wait(async_redis& client) {
        const auto patience = steady_clock::now() + std::chrono::seconds(30);
        while (outcomes.size() < expected_ && steady_clock::now() < patience) {
            pollfd watched{client.fd(), POLLIN, 0};
            (void)::poll(&watched, 1, 1000);
            client.turn();
        }
        EXPECT_EQ(outcomes.size(), expected_) << "every call is completed once";
    }
    std::vector<outcome> outcomes;
    std::vector<redis_reply> replies;

private:
    std::size_t expected_ = 0;
};

void run(async_redis& client, finished& done, const std::string& key, milliseconds within = patient,
         const redis_script& script = counting()) {
    async_redis::call c;
    c.command = to_run(script, {key}, {});
    c.deadline = steady_clock::now() + within;
    c.done = done.note();
    client.run(std::move(c));
}

outcome run_one(async_redis& client, const std::string& key, milliseconds within = patient) {
    finished done;
    run(client, done, key, within);
    client.send();
    done.wait(client);
    return done.outcomes.at(0);
}

TEST(AsyncRedis, RunsScriptsInOrderWithoutWaiting) {
    const own_redis server;
    async_redis client(server.options());
    finished done;
    for (int i = 0; i < 500; ++i) run(client, done, "n");
    client.send();
    done.wait(client);
    for (std::size_t i = 0; i < done.replies.size(); ++i) {
        ASSERT_EQ(done.outcomes[i], outcome::replied);
        ASSERT_EQ(done.replies[i].integer, static_cast<std::int64_t>(i) + 1) << "each once";
    }
}

TEST(AsyncRedis, MayBeGivenMoreWorkByACompletion) {
    const own_redis server;
    async_redis client(server.options());
    finished done;
    async_redis::call c;
    c.command = to_run(counting(), {"n"}, {});
    c.deadline = steady_clock::now() + patient;
    c.done = [&, note = done.note()](outcome what, const redis_reply& reply) {
        note(what, reply);
        run(client, done, "n");
    };
    client.run(std::move(c));
    done.wait(client);
    EXPECT_EQ(done.replies.back().integer, 2);
}

TEST(AsyncRedis, HandsTheScriptsOwnErrorsOver) {
    const own_redis server;
    async_redis client(server.options());
    const redis_script broken("return redis.error_reply('OOPS no')");
    finished done;
    run(client, done, "n", patient, broken);
    done.wait(client);
    EXPECT_EQ(done.outcomes[0], outcome::replied);
    EXPECT_EQ(done.replies[0].what, redis_reply::kind::error);
    EXPECT_EQ(done.replies[0].text, "OOPS no");
}

TEST(AsyncRedis, IsCertainThatNothingWasExecutedWhereNobodyListens) {
    redis_options nowhere;
    nowhere.addresses = {"127.0.0.1:" + std::to_string(free_port())};
    async_redis client(nowhere);
    const auto before = steady_clock::now();
    EXPECT_EQ(run_one(client, "n", milliseconds(200)), outcome::not_executed);
    EXPECT_LT(steady_clock::now() - before, patient);
}

TEST(AsyncRedis, LeavesAServerThatDoesNotAnswerAndComesBack) {
    const own_redis server;
    async_redis client(server.impatient());
    EXPECT_EQ(run_one(client, "n"), outcome::replied);
    server.freeze();
    EXPECT_EQ(run_one(client, "n", milliseconds(200)), outcome::timed_out) << "it was sent";
    EXPECT_EQ(run_one(client, "n", milliseconds(200)), outcome::not_executed)
        << "nothing more piles up there";
    server.thaw();
    finished done;
    run(client, done, "n");
    done.wait(client);
    ASSERT_EQ(done.outcomes[0], outcome::replied);
    EXPECT_EQ(done.replies[0].integer, 3) << "the first and the one that timed out were executed";
}

TEST(AsyncRedis, DoesNotKnowWhetherALostCallWasExecuted) {
    const own_redis server;
    redis_relay relay(server.port());
    redis_options through = server.options();
    through.addresses = {relay.address()};
    async_redis client(through);
    EXPECT_EQ(run_one(client, "n"), outcome::replied);
    relay.swallow_next_answer();
    EXPECT_EQ(run_one(client, "n"), outcome::unknown);
    EXPECT_EQ(run_one(client, "n"), outcome::replied) << "and connects again";
}

TEST(AsyncRedis, LogsInAndChoosesItsDatabase) {
    const own_redis server({"--requirepass", "secret"});
    redis_options options = server.options();
    options.password = "secret";
    options.database = 3;
    async_redis client(options);
    EXPECT_EQ(run_one(client, "n"), outcome::replied);
    redis side(options);
    EXPECT_EQ(side.ask("n", {"GET", "n"})->text, "1") << "in the same database";
    options.password = "wrong";
    async_redis stranger(options);
    EXPECT_EQ(run_one(stranger, "n", milliseconds(300)), outcome::not_executed);
}

TEST(AsyncRedis, ResolvesNamesWithoutWaiting) {
    const own_redis server;
    redis_options options = server.options();
    options.addresses = {"localhost:" + std::to_string(server.port())};
    async_redis client(options);
    EXPECT_EQ(run_one(client, "n"), outcome::replied)
        << "also where localhost is ::1 first, and only 127.0.0.1 answers";
    options.addresses = {"no-such-host.invalid:6379"};
    async_redis nowhere(options);
    EXPECT_EQ(run_one(nowhere, "n", milliseconds(300)), outcome::not_executed);
}

TEST(AsyncRedis, WakesItsOwnerWhenAsked) {
    const own_redis server;
    async_redis client(server.options());
    EXPECT_EQ(run_one(client, "n"), outcome::replied);
    for (pollfd w{client.fd(), POLLIN, 0}; ::poll(&w, 1, 50) > 0;) client.turn();
    client.wake_at(steady_clock::now() + milliseconds(50));
    pollfd watched{client.fd(), POLLIN, 0};
    EXPECT_EQ(::poll(&watched, 1, 5000), 1);
    client.turn();
    watched.revents = 0;
    EXPECT_EQ(::poll(&watched, 1, 100), 0) << "once, and then it is quiet";
}

TEST(AsyncRedis, IsQuietWhileNothingIsToBeDone) {
    const own_redis server;
    redis_options options = server.options();
    options.addresses.push_back("127.0.0.1:" + std::to_string(free_port()));
    async_redis client(options);
    EXPECT_EQ(run_one(client, "n"), outcome::replied);
    constexpr int quiet_ms = 200, turns_max = 20;
    int turns = 0;
    for (pollfd w{client.fd(), POLLIN, 0}; turns<turns_max&& ::poll(&w, 1, quiet_ms)> 0; ++turns)
        client.turn();
    EXPECT_LT(turns, turns_max) << "it never came to rest";
}

TEST(AsyncRedis, FollowsARedisCluster) {
    FLOODGATE_NEED_REDIS(true);
    async_redis client(shared_redis(true));
    finished done;
    const std::string name = random_name();
    for (int i = 0; i < 64; ++i) run(client, done, name + ":{" + std::to_string(i) + "}");
    done.wait(client);
    for (std::size_t i = 0; i < done.replies.size(); ++i) {
        EXPECT_EQ(done.outcomes[i], outcome::replied);
        EXPECT_EQ(done.replies[i].integer, 1);
    }
    redis side(shared_redis(true));
    for (int i = 0; i < 64; ++i) {
        const std::string key = name + ":{" + std::to_string(i) + "}";
        (void)side.ask(key, {"DEL", key}).has_value();
    }
}

// Two servers of a cluster; the first holds every slot until it is told otherwise.
class MovingSlotTest : public testing::Test {
protected:
    // The port of the cluster's own talk is 10,000 higher unless it is told, which may be too high.
    static std::vector<std::string> member(int talk_port) {
        return {"--cluster-enabled",      "yes",  "--cluster-port", std::to_string(talk_port),
                "--cluster-node-timeout", "15000"};
    }
    void SetUp() override {
        ASSERT_TRUE(to_a_.ask("", {"CLUSTER", "ADDSLOTSRANGE", "0", "16383"}).has_value());
        ASSERT_TRUE(to_b_
                        .ask("", {"CLUSTER", "MEET", "127.0.0.1", std::to_string(a_.port()),
                                  std::to_string(talk_a_)})
                        .has_value());
        for (int i = 0; i < 200 && !(well(to_a_) && well(to_b_)); ++i)
            std::this_thread::sleep_for(milliseconds(50));
        ASSERT_TRUE(well(to_a_) && well(to_b_));
        id_a_ = to_a_.ask("", {"CLUSTER", "MYID"})->text;
        id_b_ = to_b_.ask("", {"CLUSTER", "MYID"})->text;
    }
    static bool well(redis& server) {
        const auto info = server.ask("", {"CLUSTER", "INFO"});
        return info && info->text.find("cluster_state:ok") != std::string::npos &&
               info->text.find("cluster_known_nodes:2") != std::string::npos;
    }
    void set_slot(redis& at, const words& how) {
        words command{"CLUSTER", "SETSLOT", slot_};
        command.append(how);
        EXPECT_TRUE(at.ask("", command).has_value());
    }
    redis_options cluster() const {
        redis_options out = a_.options();
        out.cluster = true;
        return out;
    }

    const int talk_a_ = free_port();
    own_redis a_{member(talk_a_)}, b_{member(free_port())};
    redis to_a_{a_.options()}, to_b_{b_.options()};  // as single servers
    const std::string key_ = "n{7}", slot_ = std::to_string(redis_slot(key_));
    std::string id_a_, id_b_;
};

TEST_F(MovingSlotTest, IsFollowedOnItsWay) {
    async_redis client(cluster());
    EXPECT_EQ(run_one(client, key_), outcome::replied);
    set_slot(to_b_, {"IMPORTING", id_a_});
    set_slot(to_a_, {"MIGRATING", id_b_});
    EXPECT_EQ(run_one(client, key_), outcome::replied) << "it is still there";
    ASSERT_TRUE(
        to_a_.ask("", {"MIGRATE", "127.0.0.1", std::to_string(b_.port()), key_, "0", "1000"}));
    EXPECT_EQ(run_one(client, key_), outcome::replied) << "ASK";
    set_slot(to_b_, {"NODE", id_b_});
    set_slot(to_a_, {"NODE", id_b_});
    finished done;
    run(client, done, key_);
    done.wait(client);
    EXPECT_EQ(done.outcomes[0], outcome::replied) << "MOVED";
    EXPECT_EQ(done.replies[0].integer, 4) << "each was executed once";
}

TEST_F(MovingSlotTest, ServesOtherSlotsWhileOneServerIsAway) {
    set_slot(to_b_, {"NODE", id_b_});
    set_slot(to_a_, {"NODE", id_b_});
    async_redis client(cluster());
    EXPECT_EQ(run_one(client, key_), outcome::replied);
    EXPECT_EQ(run_one(client, "other{8}"), outcome::replied);
    b_.freeze();
    EXPECT_EQ(run_one(client, key_, milliseconds(200)), outcome::timed_out);
    EXPECT_EQ(run_one(client, "other{8}"), outcome::replied);
    b_.thaw();
    EXPECT_EQ(run_one(client, key_), outcome::replied);
}

}  // namespace
}  // namespace floodgate::store
