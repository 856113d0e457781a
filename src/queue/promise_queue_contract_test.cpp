// The contract of promise_queue.hpp, run against every implementation.

#include "queue/queue_fixture.hpp"

namespace floodgate::queue {
namespace {

class PromiseQueueTest : public testing::TestWithParam<way> {
protected:
    void SetUp() override {
        if (!queue_fixture::is_there(GetParam()))
            GTEST_SKIP() << "FLOODGATE_TEST_REDIS, _REDIS_CLUSTER or _RABBITMQ is not set: "
                            "scripts/test starts the servers and sets them";
        world_ = std::make_unique<queue_fixture>(GetParam());
    }
    // Takes what was left behind and forgets it, until the line is empty.
    static std::vector<std::uint64_t> drain(promise_queue& q, std::size_t max) {
        std::vector<std::uint64_t> all;
        for (int rounds = 0; rounds < 1000; ++rounds) {
            result<std::vector<sale::promise>> some = errc::store_unavailable;
            eventually([&] { return bool(some = q.left_behind(max)); });
            if (!some || some->empty()) break;
            const auto orders = orders_of(*some);
            all.insert(all.end(), orders.begin(), orders.end());
            EXPECT_TRUE(q.forget());
        }
        return all;
    }

    std::unique_ptr<queue_fixture> world_;
    std::atomic<int> news_{0};
    std::function<void()> told_ = [this] { ++news_; };
};

TEST_P(PromiseQueueTest, GivesThePromisesInOrderAsTheyCome) {
    const auto q = world_->open("a");
    world_->append(1, 3);
    q->start(at(0), told_);
    EXPECT_EQ(read_orders(*q, at(0), 3), from_to(1, 3));
    world_->append(4, 4);
    world_->append(5, 9);
    EXPECT_EQ(read_orders(*q, at(3), 6), from_to(4, 9));
    EXPECT_EQ(q->durable(), at(9));
    EXPECT_EQ(read_orders(*q, at(2), 7), from_to(3, 9)) << "not entered: may be asked for again";
}

TEST_P(PromiseQueueTest, ReadsAtMostWhatWasAskedFor) {
    const auto q = world_->open("a");
    world_->append(1, 9);
    q->start(at(0), told_);
    ASSERT_EQ(read_orders(*q, at(0), 9), from_to(1, 9));
    std::vector<sale::promise> some;
    ASSERT_TRUE(q->read(at(2), 4, some));
    EXPECT_EQ(orders_of(some), from_to(3, 6));
}

TEST_P(PromiseQueueTest, WhatIsEnteredLeavesTheLineAndTheGateIsTold) {
    const auto q = world_->open("a");
    world_->set_gate(1, 9);
    world_->append(1, 3);
    world_->append(4, 9);
    q->start(at(0), told_);
    ASSERT_EQ(read_orders(*q, at(0), 9), from_to(1, 9));
    q->entered(at(5));
    EXPECT_TRUE(eventually([&] { return world_->gate_field("entered") == "5"; }));
    q->entered(at(9));
    EXPECT_TRUE(eventually([&] { return world_->length() == 0; }));
    EXPECT_TRUE(eventually([&] { return world_->gate_field("entered") == "9"; }));
    q->stop();
    EXPECT_EQ(drain(*world_->open("b"), 100), std::vector<std::uint64_t>{});
}

TEST_P(PromiseQueueTest, AGateOfAnotherEpochOrNoneIsNotTold) {
    const auto q = world_->open("a");
    world_->append(1, 2);
    q->start(at(0), told_);
    ASSERT_EQ(read_orders(*q, at(0), 2), from_to(1, 2));
    q->entered(at(1));
    q->entered(at(2));
    ASSERT_TRUE(eventually([&] { return world_->length() == 0; }));
    EXPECT_EQ(world_->gate_field("entered"), "");
    world_->set_gate(2, 0);
    world_->append(3, 3);
    ASSERT_EQ(read_orders(*q, at(2), 1), from_to(3, 3));
    q->entered(at(3));
    ASSERT_TRUE(eventually([&] { return world_->length() == 0; }));
    q->stop();
    EXPECT_EQ(world_->gate_field("entered"), "0");
}

TEST_P(PromiseQueueTest, AnotherConsumerGetsWhatWasNotEntered) {
    world_->append(1, 3);
    world_->append(4, 6);
    world_->append(7, 9);
    {
        const auto dead = world_->open("a");
        dead->start(at(0), told_);
        ASSERT_EQ(read_orders(*dead, at(0), 9), from_to(1, 9));
        dead->entered(at(3));
    }
    world_->append(10, 12);
    const auto q = world_->open("b");
    q->start(at(3), told_);
    EXPECT_EQ(read_orders(*q, at(3), 9), from_to(4, 12));
}

TEST_P(PromiseQueueTest, BeginsInTheMiddleOfAnEntryWhereTheLedgerIs) {
    world_->append(1, 3);
    world_->append(4, 8);
    world_->append(9, 9);
    const auto q = world_->open("a");
    q->start(at(5), told_);
    EXPECT_EQ(read_orders(*q, at(5), 4), from_to(6, 9));
    q->entered(at(9));
    EXPECT_TRUE(eventually([&] { return world_->length() == 0; }));
    q->stop();
    EXPECT_EQ(drain(*world_->open("b"), 100), std::vector<std::uint64_t>{});
}

TEST_P(PromiseQueueTest, AnEntryStaysUntilItsLastPromiseIsEntered) {
    world_->append(1, 5);
    {
        const auto dead = world_->open("a");
        dead->start(at(0), told_);
        ASSERT_EQ(read_orders(*dead, at(0), 5), from_to(1, 5));
        dead->entered(at(4));
    }
    EXPECT_EQ(drain(*world_->open("b"), 100), from_to(1, 5));
}

TEST_P(PromiseQueueTest, LeftBehindGivesEveryEpochsPromisesAndForgetsOnlyThose) {
    world_->append(1, 3, 1, 101);
    world_->append(4, 5, 1, 104);
    world_->append(3, 7, 4, 106);
    const auto q = world_->open("a");
    const auto first = q->left_behind(4);
    ASSERT_TRUE(first);
    EXPECT_EQ(orders_of(*first), from_to(101, 105));
    const auto again = q->left_behind(4);
    ASSERT_TRUE(again);
    EXPECT_EQ(orders_of(*again), from_to(101, 105)) << "not forgotten: given again";
    world_->append(8, 8, 4, 111);
    ASSERT_TRUE(q->forget());
    EXPECT_EQ(drain(*q, 100), from_to(106, 111));
    EXPECT_EQ(world_->length(), 0);
}

TEST_P(PromiseQueueTest, LeftBehindHasWhatADeadConsumerHadInHand) {
    world_->append(1, 3);
    world_->append(4, 6);
    {
        const auto dead = world_->open("a");
        dead->start(at(0), told_);
        ASSERT_EQ(read_orders(*dead, at(0), 6), from_to(1, 6));
    }
    world_->append(7, 8);
    const auto q = world_->open("b");
    EXPECT_EQ(drain(*q, 3), from_to(1, 8));
    world_->append(1, 2, 2);
    q->start(at(0, 2), told_);
    EXPECT_EQ(read_orders(*q, at(0, 2), 2), from_to(1, 2)) << "and goes on in the next epoch";
}

TEST_P(PromiseQueueTest, GoesOnAfterItsGroupWasLost) {
    const auto q = world_->open("a");
    q->start(at(0), told_);
    world_->append(1, 2);
    ASSERT_EQ(read_orders(*q, at(0), 2), from_to(1, 2));
    ASSERT_TRUE(world_->redis().ask(world_->line, {"DEL", world_->line}));
    world_->append(3, 5);
    EXPECT_EQ(read_orders(*q, at(2), 3), from_to(3, 5));
}

// A node that was stopped wakes up and goes on reading before it learns that it has lost the
// partition.
TEST_P(PromiseQueueTest, GetsBackWhatANodeThatComesLateHasRead) {
    const auto q = world_->open("a");
    q->start(at(0), told_);
    world_->append(1, 2);
    ASSERT_EQ(read_orders(*q, at(0), 2), from_to(1, 2));
    const auto bytes = [](std::uint64_t order) {
        const sale::promise one = promise_for(order);
        return sale::encode_entry({&one, 1});
    };
    const store::redis_script steal(R"(
redis.call('XADD', KEYS[1], '1-3', 'p', ARGV[2])
redis.call('XREADGROUP', 'GROUP', ARGV[1], 'late', 'STREAMS', KEYS[1], '>')
return redis.call('XADD', KEYS[1], '1-4', 'p', ARGV[3]))");
    const std::string group = GetParam() == way::rabbit ? "relay" : "clerk";
    ASSERT_TRUE(world_->redis().run(steal, {world_->line}, {group, bytes(3), bytes(4)}));
    EXPECT_EQ(read_orders(*q, at(2), 2), from_to(3, 4));
    q->entered(at(4));
    EXPECT_TRUE(eventually([&] { return world_->length() == 0; }));
}

TEST_P(PromiseQueueTest, TheGateKnowsWhatWasEnteredWhenItHasStopped) {
    const auto q = world_->open("a");
    world_->set_gate(1, 6);
    world_->append(1, 3);
    world_->append(4, 6);
    q->start(at(0), told_);
    ASSERT_EQ(read_orders(*q, at(0), 6), from_to(1, 6));
    q->entered(at(6));
    q->stop();
    EXPECT_EQ(world_->gate_field("entered"), "6");
    EXPECT_EQ(world_->length(), 0);
    const auto left = world_->open("b")->left_behind(10);
    ASSERT_TRUE(left) << "and lets go at once";
    EXPECT_TRUE(left->empty());
}

TEST_P(PromiseQueueTest, AGapIsCorruptAfterWhatCameBeforeIt) {
    const auto q = world_->open("a");
    world_->append(1, 2);
    world_->append(4, 5);
    q->start(at(0), told_);
    EXPECT_EQ(read_orders(*q, at(0), 2), from_to(1, 2));
    EXPECT_TRUE(becomes_corrupt(*q, at(2)));
}

TEST_P(PromiseQueueTest, AGapRightAtTheStartIsCorrupt) {
    const auto q = world_->open("a");
    world_->append(4, 5);
    q->start(at(2), told_);
    EXPECT_TRUE(becomes_corrupt(*q, at(2)));
}

TEST_P(PromiseQueueTest, NumbersThatAreGivenOutAgainAreCorrupt) {
    const auto q = world_->open("a");
    q->start(at(0), told_);
    world_->append(1, 4);
    ASSERT_EQ(read_orders(*q, at(0), 4), from_to(1, 4));
    q->entered(at(4));
    ASSERT_TRUE(eventually([&] { return world_->length() == 0; }));
    ASSERT_TRUE(world_->redis().ask(world_->line, {"DEL", world_->line}));
    world_->append(3, 4, 1, 77);
    EXPECT_TRUE(becomes_corrupt(*q, at(4)));
}

TEST_P(PromiseQueueTest, AGateThatCountsLessThanHasComeIsCorrupt) {
    const auto q = world_->open("a");
    world_->set_gate(1, 4);
    world_->append(1, 4);
    q->start(at(0), told_);
    ASSERT_EQ(read_orders(*q, at(0), 4), from_to(1, 4));
    world_->set_gate(1, 2);
    EXPECT_TRUE(becomes_corrupt(*q, at(4)));
}

TEST_P(PromiseQueueTest, AnotherEpochIsCorrupt) {
    const auto later = world_->open("a");
    world_->append(1, 2);
    later->start(at(0), told_);
    ASSERT_EQ(read_orders(*later, at(0), 2), from_to(1, 2));
    world_->append(3, 4, 2);
    EXPECT_TRUE(becomes_corrupt(*later, at(2)));
    later->stop();
    const auto earlier = world_->open("b");
    earlier->start(at(0, 3), told_);
    EXPECT_TRUE(becomes_corrupt(*earlier, at(0, 3)));
}

TEST_P(PromiseQueueTest, AnEntryThatCannotBeReadIsCorruptAndThenPutAside) {
    const auto q = world_->open("a");
    world_->append(1, 2);
    world_->append_bytes({1, 3}, "nonsense");
    world_->append(4, 5);
    q->start(at(0), told_);
    EXPECT_EQ(read_orders(*q, at(0), 2), from_to(1, 2));
    EXPECT_TRUE(becomes_corrupt(*q, at(2)));
    q->stop();
    const std::vector<std::uint64_t> readable{1, 2, 4, 5};
    EXPECT_EQ(drain(*q, 100), readable);
    const auto aside = world_->redis().ask(world_->dead, {"XLEN", world_->dead});
    ASSERT_TRUE(aside);
    EXPECT_EQ(aside->integer, 1);
    EXPECT_EQ(world_->length(), 0);
}

TEST_P(PromiseQueueTest, NewsComeQuickly) {
    const auto q = world_->open("a");
    q->start(at(0), told_);
    world_->append(1, 1);
    ASSERT_EQ(read_orders(*q, at(0), 1), from_to(1, 1)) << "now it waits for more";
    const int before = news_;
    world_->append(2, 2);
    EXPECT_TRUE(eventually([&] { return news_ > before; }, 20s));
    EXPECT_EQ(read_orders(*q, at(1), 1), from_to(2, 2));
}

TEST_P(PromiseQueueTest, StopsSoonAndStartsAgain) {
    const auto q = world_->open("a");
    q->start(at(0), told_);
    world_->append(1, 1);
    ASSERT_EQ(read_orders(*q, at(0), 1), from_to(1, 1)) << "now it waits for more";
    q->entered(at(1));
    const auto began = std::chrono::steady_clock::now();
    q->stop();
    q->stop();
    EXPECT_LT(std::chrono::steady_clock::now() - began, 15s);
    world_->append(2, 3);
    q->start(at(1), told_);
    EXPECT_EQ(read_orders(*q, at(1), 2), from_to(2, 3));
}

TEST_P(PromiseQueueTest, ALongLineIsReadInOrderThroughASmallBuffer) {
    constexpr std::uint64_t all = 50'000, each = 100;
    world_->set_gate(1, all);
    for (std::uint64_t n = 1; n <= all; n += each) world_->append(n, n + each - 1);
    const auto q = world_->open("a", 2'000);
    q->start(at(0), told_);
    EXPECT_TRUE(eventually([&] { return q->durable() == at(all); }));
    std::uint64_t entered = 0;
    while (entered < all) {
        const auto some = read_orders(*q, at(entered), 500, 20s);
        ASSERT_FALSE(some.empty());
        ASSERT_EQ(some, from_to(entered + 1, entered + some.size()));
        entered += some.size();
        q->entered(at(entered));
    }
    EXPECT_TRUE(eventually([&] { return world_->length() == 0; }));
}

INSTANTIATE_TEST_SUITE_P(Every, PromiseQueueTest,
                         testing::Values(way::stream, way::stream_on_cluster, way::rabbit),
                         [](const testing::TestParamInfo<way>& tested) {
                             switch (tested.param) {
                             case way::stream: return "Stream";
                             case way::stream_on_cluster: return "StreamOnCluster";
                             case way::rabbit: return "Rabbit";
                             }
                             return "";
                         });

}  // namespace
}  // namespace floodgate::queue
