// What only the queue over RabbitMQ has to keep; the rest is in promise_queue_contract_test.cpp.

#include "queue/rabbit_queue.hpp"

#include "queue/cuttable_wire.hpp"
#include "queue/queue_fixture.hpp"

namespace floodgate::queue {
namespace {

class RabbitQueueTest : public testing::Test {
protected:
    void SetUp() override {
        if (!queue_fixture::is_there(way::rabbit))
            GTEST_SKIP() << "FLOODGATE_TEST_REDIS or FLOODGATE_TEST_RABBITMQ is not set: "
                            "scripts/test starts the servers and sets them";
        world_ = std::make_unique<queue_fixture>(way::rabbit);
        hand_ = std::make_unique<store::rabbit>(shared_rabbit());
        ASSERT_TRUE(hand_->open());
    }

    std::unique_ptr<rabbit_queue> open(const std::string& consumer,
                                       const std::string& address = "") const {
        store::rabbit_options at = shared_rabbit();
        if (!address.empty()) at.addresses = {address};
        return std::make_unique<rabbit_queue>(
            world_->redis(), at,
            rabbit_queue_options{
                .name = world_->name, .partition = world_->partition, .consumer = consumer});
    }
    // RabbitMQ may forget the last acknowledgements of a connection that ends. The next consumer
    // skips what is then delivered again.
    void expect_nothing_new_after(sale::sequence entered) {
        const auto next = open("next");
        next->start(entered, [] {});
        EXPECT_TRUE(eventually([&] {
            return next->read_figures().connected && ready(world_->rabbit_queue_name()) == 0;
        }));
        std::vector<sale::promise> more;
        EXPECT_TRUE(next->read(entered, 10, more).has_value());
        EXPECT_TRUE(more.empty());
    }
    // Publishes like a relay that dies before it can remove the entry from the stream.
    void publish(std::uint64_t first, std::uint64_t last) {
        std::vector<sale::promise> promises;
        for (std::uint64_t n = first; n <= last; ++n) promises.push_back(promise_for(n));
        publish_bytes(sale::encode_entry(promises),
                      {{"epoch", 1}, {"last", static_cast<std::int64_t>(last)}});
    }
    void publish_bytes(const std::string& body, const store::rabbit_headers& headers) {
        const std::vector<store::rabbit_message> one{{.exchange = world_->name + ".promises",
                                                      .routing_key = "3",
                                                      .headers = headers,
                                                      .body = body}};
        ASSERT_TRUE(hand_->publish(one));
    }
    std::uint32_t ready(const std::string& queue) {
        const auto facts = hand_->look_at_queue(queue);
        return facts ? facts->ready : 9999;
    }

    std::unique_ptr<queue_fixture> world_;
    std::unique_ptr<store::rabbit> hand_;
};

const auto nobody = [] {};

TEST_F(RabbitQueueTest, WhatWasPublishedTwiceIsReadOnce) {
    const auto q = open("a");
    world_->append(1, 2);
    q->start(at(0), nobody);
    ASSERT_EQ(read_orders(*q, at(0), 2), from_to(1, 2));
    publish(1, 2);
    publish(3, 5);
    ASSERT_EQ(read_orders(*q, at(2), 3), from_to(3, 5));
    q->entered(at(5));
    world_->append(3, 5);
    world_->append(6, 6);
    EXPECT_EQ(read_orders(*q, at(5), 1), from_to(6, 6));
    EXPECT_EQ(q->read_figures().doubled, 2U);
    q->entered(at(6));
    EXPECT_TRUE(eventually([&] { return world_->length() == 0; }));
    q->stop();
    EXPECT_EQ(ready(world_->rabbit_queue_name()), 0U);
}

TEST_F(RabbitQueueTest, AMessageBeforeItsTurnThatWillComeAgainIsDropped) {
    const auto q = open("a");
    world_->append(1, 2);
    q->start(at(0), nobody);
    ASSERT_EQ(read_orders(*q, at(0), 2), from_to(1, 2));
    publish(5, 6);  // as if 3 and 4 had been published with it, and not confirmed
    ASSERT_TRUE(eventually([&] { return q->read_figures().doubled == 1; }));
    world_->append(3, 4);
    world_->append(5, 6);
    EXPECT_EQ(read_orders(*q, at(2), 4), from_to(3, 6));
}

TEST_F(RabbitQueueTest, AMessageThatCannotBeReadGoesToTheDeadAndTheOthersGoOn) {
    const auto q = open("a");
    q->start(at(0), nobody);
    world_->append(1, 2);
    ASSERT_EQ(read_orders(*q, at(0), 2), from_to(1, 2));
    publish_bytes("nonsense", {{"epoch", 1}, {"last", 3}});
    publish_bytes("nothing said", {});
    world_->append(3, 4);
    EXPECT_EQ(read_orders(*q, at(2), 2), from_to(3, 4));
    EXPECT_TRUE(eventually([&] { return ready(world_->name + ".dead") == 2; }));
    EXPECT_EQ(q->read_figures().dead, 2U);
    q->entered(at(4));
    q->stop();
    expect_nothing_new_after(at(4));
}

TEST_F(RabbitQueueTest, WithoutRabbitTheStreamKeepsEverythingAndItGoesOnByItself) {
    cuttable_wire wire(shared_rabbit().addresses[0]);
    const auto q = open("a", wire.address());
    world_->set_gate(1, 2);
    world_->append(1, 2);
    q->start(at(0), nobody);
    ASSERT_EQ(read_orders(*q, at(0), 2), from_to(1, 2));
    q->entered(at(1));
    wire.cut();
    ASSERT_TRUE(eventually([&] { return !q->read_figures().connected; }));
    world_->append(3, 4);
    world_->append(5, 6);
    world_->set_gate(1, 6);
    EXPECT_TRUE(eventually([&] { return q->durable() == at(6); }));
    EXPECT_EQ(world_->length(), 2);
    q->entered(at(2));
    wire.mend();
    EXPECT_EQ(read_orders(*q, at(2), 4), from_to(3, 6));
    q->entered(at(6));
    EXPECT_TRUE(eventually([&] { return world_->length() == 0; }));
    q->stop();
    expect_nothing_new_after(at(6));
}

TEST_F(RabbitQueueTest, ALongLineSurvivesConnectionsThatAreCutAgainAndAgain) {
    constexpr std::uint64_t all = 20'000, each = 50;
    cuttable_wire wire(shared_rabbit().addresses[0]);
    const auto q = open("a", wire.address());
    q->start(at(0), nobody);
    constexpr std::uint64_t cuts = 5;
    std::atomic<std::uint64_t> entered = 0;
    std::atomic<bool> done = false;
    std::thread saboteur([&] {
        for (std::uint64_t i = 1; i <= cuts && !done; ++i) {
            eventually([&] { return done || entered >= i * all / (cuts + 1); });
            wire.cut();
            eventually([&] { return done || !q->read_figures().connected; });
            wire.mend();
            eventually([&] { return done || q->read_figures().connected; });
        }
    });
    for (std::uint64_t n = 1; n <= all; n += each) world_->append(n, n + each - 1);
    while (entered < all) {
        const auto some =
            read_orders(*q, at(entered), std::min<std::uint64_t>(300, all - entered), 20s);
        EXPECT_FALSE(some.empty());
        EXPECT_EQ(some, from_to(entered + 1, entered + some.size()));
        if (some.empty()) break;
        entered += some.size();
        q->entered(at(entered));
    }
    done = true;
    saboteur.join();
    EXPECT_TRUE(eventually([&] { return world_->length() == 0; }));
    q->stop();
    // RabbitMQ may have lost acknowledgements with the connection: what comes again is dropped.
    world_->append(all + 1, all + 1);
    const auto next = open("b");
    next->start(at(all), nobody);
    EXPECT_EQ(read_orders(*next, at(all), 1), from_to(all + 1, all + 1));
    EXPECT_EQ(ready(world_->name + ".dead"), 0U);
}

TEST_F(RabbitQueueTest, AFirstEntryThatANodeThatComesLateHasReadIsNotLost) {
    const auto q = open("a");
    q->start(at(0), nobody);
    // After its first step it looks no more for what another consumer has read.
    ASSERT_TRUE(eventually([&] { return q->read_figures().connected; }));
    ASSERT_EQ(q->read_figures().failures, 0U);
    const sale::promise one = promise_for(1), two = promise_for(2);
    const store::redis_script steal(R"(
redis.call('XADD', KEYS[1], '1-1', 'p', ARGV[1])
redis.call('XREADGROUP', 'GROUP', 'relay', 'late', 'STREAMS', KEYS[1], '>')
return redis.call('XADD', KEYS[1], '1-2', 'p', ARGV[2]))");
    ASSERT_TRUE(world_->redis().run(
        steal, {world_->line}, {sale::encode_entry({&one, 1}), sale::encode_entry({&two, 1})}));
    EXPECT_TRUE(becomes_corrupt(*q, at(0)));
    q->stop();
    const auto in_rabbit = q->left_behind(10);
    ASSERT_TRUE(in_rabbit);
    EXPECT_EQ(orders_of(*in_rabbit), from_to(2, 2));
    ASSERT_TRUE(q->forget());
    const auto in_stream = q->left_behind(10);
    ASSERT_TRUE(in_stream);
    EXPECT_EQ(orders_of(*in_stream), from_to(1, 1));
}

TEST_F(RabbitQueueTest, WhoDoesNotHoldThePartitionNeitherReadsNorPublishes) {
    const std::string lock = world_->name + ".holder.3";
    ASSERT_TRUE(hand_->declare_queue(lock, {}, store::queue_life::with_connection));
    const auto q = open("a");
    const auto left = q->left_behind(10);
    ASSERT_FALSE(left);
    EXPECT_EQ(left.error(), errc::store_unavailable);
    world_->append(1, 2);
    q->start(at(0), nobody);
    ASSERT_TRUE(eventually([&] { return q->read_figures().failures > 0; }));
    EXPECT_EQ(world_->length(), 1);
    hand_->close();
    EXPECT_EQ(read_orders(*q, at(0), 2), from_to(1, 2));
}

TEST_F(RabbitQueueTest, OnlyOneConnectionHoldsThePartition) {
    const auto first = open("a");
    first->start(at(0), nobody);
    world_->append(1, 2);
    ASSERT_EQ(read_orders(*first, at(0), 2), from_to(1, 2));
    const auto second = open("b");
    const auto refused = second->left_behind(10);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), errc::store_unavailable);
    first->stop();
    const auto third = open("c");
    ASSERT_TRUE(third->left_behind(10));
    EXPECT_FALSE(second->left_behind(10)) << "what the third has in hand would be missing";
    ASSERT_FALSE(third->left_behind(10)->empty()) << "given again";
    third->stop();
    EXPECT_TRUE(eventually([&] {
        const auto left = second->left_behind(10);
        return left && orders_of(*left) == from_to(1, 2);
    }));
}

}  // namespace
}  // namespace floodgate::queue
