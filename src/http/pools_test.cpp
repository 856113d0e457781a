#include "http/pools.hpp"

#include <gtest/gtest.h>

#include <future>
#include <string>
#include <thread>

namespace floodgate::http {
namespace {

// Work that occupies a thread until it is released. To be declared before the pools, which wait for
// their threads when they end.
struct held_thread {
    std::promise<void> let_go, begun;

    std::function<void()> work() {
        return [this] {
            begun.set_value();
            let_go.get_future().wait();
        };
    }
};

TEST(Pools, RunWhatTheyAreGiven) {
    pools all({});
    for (const api::pool which :
         {api::pool::general, api::pool::accounts, api::pool::password, api::pool::strangers,
          api::pool::admin, api::pool::moves, api::pool::channels, api::pool::messages}) {
        std::promise<void> done;
        ASSERT_TRUE(all.enqueue(which, [&] { done.set_value(); }));
        done.get_future().wait();
    }
}

TEST(Pools, DoNotHoldUpAdminsWhenBuyersFillTheirs) {
    held_thread buyer;
    pools all({.general_threads = 1, .admin_threads = 1, .queue_max = 2});
    ASSERT_TRUE(all.enqueue(api::pool::general, buyer.work()));
    buyer.begun.get_future().wait();
    EXPECT_TRUE(all.enqueue(api::pool::general, [] {}));
    EXPECT_FALSE(all.enqueue(api::pool::general, [] {})) << "the queue is full";
    EXPECT_EQ(all.waiting(), 2U);

    std::promise<void> paused;
    ASSERT_TRUE(all.enqueue(api::pool::admin, [&] { paused.set_value(); }));
    paused.get_future().wait();
    buyer.let_go.set_value();
}

TEST(Pools, DoNotHoldUpLookUpsWhenMovesWaitForTheirCommit) {
    held_thread payer;
    pools all({.general_threads = 1, .move_threads = 1, .queue_max = 1});
    ASSERT_TRUE(all.enqueue(api::pool::moves, payer.work()));
    payer.begun.get_future().wait();
    EXPECT_FALSE(all.enqueue(api::pool::moves, [] {})) << "the queue is full";
    std::promise<void> looked_up;
    ASSERT_TRUE(all.enqueue(api::pool::general, [&] { looked_up.set_value(); }));
    looked_up.get_future().wait();
    payer.let_go.set_value();
}

// A channel that does not answer holds up neither those who look at their orders nor the messages
// of that channel.
TEST(Pools, DoNotHoldUpAnybodyWhoDoesNotWaitForAChannel) {
    held_thread slow;
    pools all({.channel_threads = 1, .queue_max = 1});
    ASSERT_TRUE(all.enqueue(api::pool::channels, slow.work()));
    slow.begun.get_future().wait();
    EXPECT_FALSE(all.enqueue(api::pool::channels, [] {})) << "the queue is full";
    for (const api::pool other : {api::pool::general, api::pool::messages}) {
        std::promise<void> done;
        ASSERT_TRUE(all.enqueue(other, [&] { done.set_value(); }));
        done.get_future().wait();
    }
    slow.let_go.set_value();
}

// Regression M7.
TEST(Pools, HashForKnownPhonesBeforeStrangersAndBoundBothQueues) {
    held_thread first;
    pools all({.password_threads = 1, .queue_max = 3});
    ASSERT_TRUE(all.enqueue(api::pool::strangers, first.work()));
    first.begun.get_future().wait();
    std::string order;  // of one thread
    for (int i = 0; i < 2; ++i)
        EXPECT_TRUE(all.enqueue(api::pool::strangers, [&] { order += 's'; }));
    EXPECT_FALSE(all.enqueue(api::pool::strangers, [] {})) << "their queue is full";
    for (int i = 0; i < 2; ++i)
        EXPECT_TRUE(all.enqueue(api::pool::password, [&] { order += 'k'; }));
    EXPECT_TRUE(all.enqueue(api::pool::password, [&] { order += 'k'; })) << "this one was not";
    EXPECT_FALSE(all.enqueue(api::pool::password, [] {}));
    first.let_go.set_value();
    while (all.waiting() > 0) std::this_thread::yield();
    EXPECT_EQ(order, "kkkss");
}

}  // namespace
}  // namespace floodgate::http
