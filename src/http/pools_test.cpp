#include "http/pools.hpp"

#include <gtest/gtest.h>

#include <future>

namespace floodgate::http {
namespace {

// Work that keeps a thread until it is let go.
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
    for (const api::pool which : {api::pool::general, api::pool::password, api::pool::admin}) {
        std::promise<void> done;
        ASSERT_TRUE(all.enqueue(which, [&] { done.set_value(); }));
        done.get_future().wait();
    }
}

TEST(Pools, DoNotHoldUpAdminsWhenBuyersFillTheirs) {
    pools all({.general_threads = 1, .admin_threads = 1, .queue_max = 2});
    held_thread buyer;
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

}  // namespace
}  // namespace floodgate::http
