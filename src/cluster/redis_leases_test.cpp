// Several nodes and one Redis: which node holds which lease, and what happens when a node goes.

#include "cluster/redis_leases.hpp"

#include <gtest/gtest.h>

#include "cluster/lease_fixture.hpp"

namespace floodgate::cluster {
namespace {

// Leases as long as with `lasting`, but the first renewal would come after the test.
redis_leases_options renewing_seldom(const std::string& name) {
    redis_leases_options o = lasting(name);
    o.renew_every = milliseconds(600'000);
    return o;
}

class LeasesTest : public testing::TestWithParam<bool> {
protected:
    void SetUp() override {
        FLOODGATE_NEED_REDIS(GetParam());
        redis_ = std::make_unique<store::redis>(store::shared_redis(GetParam()));
    }
    lease_node& add_node() {
        return add_node(quick(name_, static_cast<std::uint32_t>(nodes_.size())));
    }
    lease_node& add_node(const redis_leases_options& options,
                         const monotonic_clock& clock = machine_time) {
        nodes_.push_back(std::make_unique<lease_node>(*redis_, options, clock));
        return *nodes_.back();
    }
    lease_node& start_one() { return start(add_node()); }
    lease_node& start(lease_node& n) {
        n.leases.seek(n.log.make("task", numbers_), "");
        n.leases.start();
        return n;
    }
    lease_node& start_eight() { return start_eight(add_node()); }
    lease_node& start_eight(lease_node& n) {
        for (int i = 0; i < 8; ++i)
            n.leases.seek(n.log.make("line " + std::to_string(i), numbers_), "lines");
        n.leases.start();
        return n;
    }
    // As a node leaves it whose process is gone: alive until a moment ago, the locks not released.
    void leave_behind(const std::vector<std::string>& duties) {
        const std::string nodes = name_ + ":nodes";
        const auto heard_of = wall_clock().now() - quick(name_).lease + milliseconds(300);
        ASSERT_TRUE(redis_->ask(nodes, {"ZADD", nodes, std::to_string(to_ms(heard_of)), "gone"}));
        for (const std::string& duty : duties) {
            const std::string lock = name_ + ":lease:" + duty;
            ASSERT_TRUE(redis_->ask(lock, {"SET", lock, "gone", "PX", "300"}));
        }
    }
    // It has had the time to look for duties more than once: it reports itself alive each time.
    bool looks_around(const lease_node& n) {
        std::string before;
        int times = 0;
        return eventually([&] {
            const std::string nodes = name_ + ":nodes";
            const auto at = redis_->ask(nodes, {"ZSCORE", nodes, n.leases.owner()});
            if (at && at->text != before) ++times, before = at->text;
            return times >= 3;
        });
    }
    // For a node with `lasting` options: halves the lock's time. is_long_again() sees the renewal.
    void shorten(const std::string& duty) {
        const std::string key = name_ + ":lease:" + duty;
        ASSERT_TRUE(redis_->ask(key, {"PEXPIRE", key, "30000"}));
    }
    bool is_long_again(const std::string& duty) {
        const std::string key = name_ + ":lease:" + duty;
        return eventually([&] { return redis_->ask(key, {"PTTL", key})->integer > 30'000; });
    }
    bool is_renewed(const std::string& duty) {
        shorten(duty);
        return is_long_again(duty);
    }
    std::string key() const { return name_ + ":lease:task"; }
    std::string holder() { return redis_->ask(key(), {"GET", key()})->text; }

    std::string name_ = store::random_name();
    numbers numbers_;
    std::unique_ptr<store::redis> redis_;
    manual_monotonic_clock clock_;
    std::vector<std::unique_ptr<lease_node>> nodes_;
};

TEST_P(LeasesTest, HaveOneHolder) {
    lease_node& a = start_one();
    ASSERT_TRUE(eventually([&] { return a.log.works_on("task"); }));
    lease_node& b = start_one();
    ASSERT_TRUE(eventually([&] { return b.leases.nodes_alive().size() == 2; }));
    ASSERT_TRUE(looks_around(b));
    EXPECT_FALSE(b.log.works_on("task"));
    EXPECT_FALSE(b.leases.holds("task"));
    EXPECT_EQ(holder(), a.leases.owner());
}

TEST_P(LeasesTest, AreRenewed) {
    lease_node& a = start(add_node(lasting(name_), clock_));
    ASSERT_TRUE(eventually([&] { return a.log.works_on("task"); }));
    for (int i = 0; i < 3; ++i) {
        shorten("task");
        clock_.advance(milliseconds(40'000));
        ASSERT_TRUE(is_long_again("task"));
        EXPECT_TRUE(a.leases.holds("task")) << "after two thirds of its time, and again";
    }
    EXPECT_EQ(a.log.gains(), 1);
    EXPECT_EQ(a.log.losses(), 0);
}

TEST_P(LeasesTest, AreBelievedInForNineTenthsOfTheirTime) {
    lease_node& a = start(add_node(renewing_seldom(name_), clock_));
    ASSERT_TRUE(eventually([&] { return a.log.works_on("task"); }));
    clock_.advance(milliseconds(53'999));
    EXPECT_TRUE(a.leases.holds("task"));
    clock_.advance(milliseconds(1));
    EXPECT_FALSE(a.leases.holds("task")) << "although Redis would still say so";
    EXPECT_EQ(holder(), a.leases.owner());
}

TEST_P(LeasesTest, AreTakenOverWhenTheirHolderIsGone) {
    const std::uint64_t number = numbers_.next("task");
    leave_behind({"task"});
    lease_node& a = start_one();
    ASSERT_TRUE(eventually([&] { return a.log.works_on("task"); }));
    EXPECT_GT(a.log.number_of("task"), number);
    EXPECT_EQ(holder(), a.leases.owner());
}

TEST_P(LeasesTest, OfAGroupAreTakenOverWhenTheirHolderIsGone) {
    leave_behind({"line 0", "line 1", "line 2", "line 3"});
    lease_node& a = start_eight();
    EXPECT_TRUE(eventually([&] { return a.log.count() == 8; }));
    EXPECT_EQ(a.leases.nodes_alive().size(), 1U);
}

TEST_P(LeasesTest, ArePassedOnAtOnceByAHolderThatStops) {
    lease_node& a = start(add_node(lasting(name_, 7)));
    ASSERT_TRUE(eventually([&] { return a.log.works_on("task"); }));
    lease_node& b = start_one();
    a.leases.stop();
    EXPECT_EQ(a.log.losses(), 1);
    EXPECT_TRUE(eventually([&] { return b.log.works_on("task"); })) << "and not after a minute";
    EXPECT_TRUE(eventually([&] { return b.leases.nodes_alive().size() == 1; }));
}

TEST_P(LeasesTest, AreLostWhenTheLockIsFlushed) {
    lease_node& a = start_one();
    ASSERT_TRUE(eventually([&] { return a.log.works_on("task"); }));
    ASSERT_TRUE(redis_->ask(key(), {"DEL", key()}));
    EXPECT_TRUE(eventually([&] { return a.log.losses() == 1; }));
    EXPECT_TRUE(eventually([&] { return a.log.works_on("task"); })) << "and sought again";
    EXPECT_EQ(a.log.number_of("task"), 2U);
}

TEST_P(LeasesTest, OfAnotherAreNeitherRenewedNorReleased) {
    lease_node& a = start_one();
    ASSERT_TRUE(eventually([&] { return a.log.works_on("task"); }));
    ASSERT_TRUE(redis_->ask(key(), {"SET", key(), "somebody-else", "PX", "60000"}));
    ASSERT_TRUE(eventually([&] { return a.log.losses() == 1; }));
    EXPECT_FALSE(a.leases.holds("task"));
    a.leases.stop();
    EXPECT_EQ(holder(), "somebody-else");
    EXPECT_GT(redis_->ask(key(), {"PTTL", key()})->integer, 50'000);
}

TEST_P(LeasesTest, ThatHaveBecomeAnothersUnnoticedAreNotReleased) {
    lease_node& a = start(add_node(renewing_seldom(name_)));
    ASSERT_TRUE(eventually([&] { return a.log.works_on("task"); }));
    ASSERT_TRUE(redis_->ask(key(), {"SET", key(), "somebody-else", "PX", "60000"}));
    a.leases.stop();
    EXPECT_EQ(holder(), "somebody-else");
}

TEST_P(LeasesTest, AreGivenBackWhenNoNumberCanBeRaised) {
    lease_node& a = add_node(short_lived(name_, 7));  // it looks again after the time of a lease
    a.log.refuse = true;
    a.leases.seek(a.log.make("task", numbers_), "");
    a.leases.start();
    ASSERT_TRUE(eventually([&] { return a.log.refusals > 0; }));
    lease_node& b = start_one();
    EXPECT_TRUE(eventually([&] { return b.log.works_on("task"); }));
    EXPECT_FALSE(a.leases.holds("task"));
    EXPECT_EQ(a.log.gains() + a.log.losses(), 0);
    a.log.refuse = false;
    b.leases.stop();
    EXPECT_TRUE(eventually([&] { return a.log.works_on("task"); }));
}

TEST_P(LeasesTest, OfAGroupAreSharedOutAmongTheNodesAlive) {
    lease_node& a = start_eight();
    ASSERT_TRUE(eventually([&] { return a.log.count() == 8; }));
    lease_node& b = start_eight();
    EXPECT_TRUE(eventually([&] { return a.log.count() == 4 && b.log.count() == 4; }));
    EXPECT_EQ(a.log.gains(), 8) << "what it gave up it did not take again";
    lease_node& c = start_eight();
    EXPECT_TRUE(eventually([&] {
        return a.log.count() <= 3 && b.log.count() <= 3 && c.log.count() <= 3 &&
               a.log.count() + b.log.count() + c.log.count() == 8;
    }));
    c.leases.stop();
    EXPECT_TRUE(eventually([&] { return a.log.count() == 4 && b.log.count() == 4; }));
    b.leases.stop();
    EXPECT_TRUE(eventually([&] { return a.log.count() == 8; }));
}

TEST_P(LeasesTest, OfAGroupAreSoughtOnlyUpToTheFairShare) {
    const std::string nodes = name_ + ":nodes";
    const std::string soon_ms = std::to_string(to_ms(wall_clock().now()) + 60'000);
    ASSERT_TRUE(redis_->ask(nodes, {"ZADD", nodes, soon_ms, "another-node"}));
    lease_node& a = start_eight();
    ASSERT_TRUE(eventually([&] { return a.log.count() == 4; }));
    ASSERT_TRUE(looks_around(a));
    EXPECT_EQ(a.log.gains(), 4);
    EXPECT_EQ(a.leases.nodes_alive().size(), 2U);
}

// The node that should take a duty cannot. Then a node with more than its share is better than
// none.
TEST_P(LeasesTest, OfAGroupAreNotLeftAloneByNodesThatCannotTakeThemUp) {
    lease_node& a = add_node(short_lived(name_, 7));
    a.log.refuse = true;
    for (int i = 0; i < 8; ++i)
        a.leases.seek(a.log.make("line " + std::to_string(i), numbers_), "lines");
    a.leases.start();
    ASSERT_TRUE(eventually([&] { return a.log.refusals > 0; }));
    lease_node& b = start_eight(add_node(short_lived(name_, 8)));
    std::set<std::string> seen;
    EXPECT_TRUE(eventually([&] {
        for (int i = 0; i < 8; ++i)
            if (b.log.number_of("line " + std::to_string(i)) > 0) seen.insert(std::to_string(i));
        return seen.size() == 8;
    }));
}

TEST_P(LeasesTest, DoNotLapseWhileOneDutyIsSlow) {
    lease_node& a = add_node(lasting(name_));
    duty slow = a.log.make("slow", numbers_);
    std::atomic<bool> go_on{false};
    slow.raise = [&]() -> result<std::uint64_t> {
        eventually([&] { return go_on.load(); });
        return 1U;
    };
    a.leases.seek(slow, "");
    a.leases.seek(a.log.make("task", numbers_), "");
    a.leases.start();
    ASSERT_TRUE(eventually([&] { return a.log.works_on("task"); }));
    EXPECT_TRUE(is_renewed("task"));
    EXPECT_TRUE(is_renewed("slow"));
    EXPECT_EQ(a.log.losses(), 0);
    EXPECT_FALSE(a.leases.holds("slow"));
    go_on = true;
    EXPECT_TRUE(eventually([&] { return a.log.works_on("slow"); }));
}

TEST_P(LeasesTest, AreLetGoOfOnlyWhenTheWorkHasEnded) {
    lease_node& a = add_node(lasting(name_));
    std::atomic<bool> ending{false};
    std::atomic<bool> may_end{false};
    duty d = a.log.make("task", numbers_);
    d.lost = [&, lost = d.lost] {
        ending = true;
        eventually([&] { return may_end.load(); });
        lost();
    };
    a.leases.seek(d, "");
    a.leases.start();
    ASSERT_TRUE(eventually([&] { return a.log.works_on("task"); }));
    lease_node& b = start_one();
    std::jthread stopper([&] { a.leases.stop(); });
    ASSERT_TRUE(eventually([&] { return ending.load(); }));
    EXPECT_FALSE(a.leases.holds("task"));
    EXPECT_TRUE(is_renewed("task"));
    ASSERT_TRUE(looks_around(b));
    EXPECT_FALSE(b.log.works_on("task"));
    may_end = true;
    EXPECT_TRUE(eventually([&] { return b.log.works_on("task"); }));
}

INSTANTIATE_TEST_SUITE_P(Redis, LeasesTest, testing::Bool(),
                         [](const auto& p) { return p.param ? "Cluster" : "Plain"; });

TEST(LeasesOfASilentRedis, AreLostInTime) {
    store::own_redis server;
    store::redis redis(server.impatient());
    numbers from;
    lease_node a(redis, short_lived("fg"));
    a.leases.seek(a.log.make("task", from), "");
    a.leases.start();
    ASSERT_TRUE(eventually([&] { return a.log.works_on("task"); }));
    server.freeze();
    EXPECT_TRUE(eventually([&] { return !a.log.works_on("task"); }));
    EXPECT_FALSE(a.leases.holds("task"));
    server.thaw();
    EXPECT_TRUE(eventually([&] { return a.log.works_on("task"); }));
}

TEST(LeasesOfADeadRedis, AreLostAndFoundAgain) {
    store::own_redis server;
    store::redis redis(server.options());
    numbers from;
    lease_node a(redis, short_lived("fg"));
    a.leases.seek(a.log.make("task", from), "");
    a.leases.start();
    ASSERT_TRUE(eventually([&] { return a.log.works_on("task"); }));
    server.kill();
    EXPECT_TRUE(eventually([&] { return !a.log.works_on("task"); }));
    server.start();
    EXPECT_TRUE(eventually([&] { return a.log.works_on("task"); }));
    server.kill();
    a.leases.stop();  // ends although the release is not heard
    EXPECT_FALSE(a.log.works_on("task"));
    EXPECT_EQ(a.log.losses(), a.log.gains());
}

}  // namespace
}  // namespace floodgate::cluster
