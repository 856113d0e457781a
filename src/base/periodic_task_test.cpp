#include "clerk/routine.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <semaphore>
#include <stdexcept>

namespace floodgate::clerk {
namespace {

using namespace std::chrono_literals;

constexpr milliseconds seldom = 10min;  // only being woken ends such a wait
constexpr auto far = 20s;               // only a broken routine lets a test wait so long

struct RoutineTest : testing::Test {
    std::counting_semaphore<> done{0};
    std::atomic<int> times{0};

    bool works_again() { return done.try_acquire_for(far); }
};

TEST_F(RoutineTest, WorksAtOnceAndThenEveryPeriod) {
    routine r("every", 1ms, [&] { return done.release(), false; });
    r.start();
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(works_again());
}

TEST_F(RoutineTest, WorksWhenItIsWoken) {
    routine r("woken", seldom, [&] { return done.release(), false; });
    r.start();
    ASSERT_TRUE(works_again());
    for (int i = 0; i < 100; ++i) {
        r.wake();
        ASSERT_TRUE(works_again());
    }
}

TEST_F(RoutineTest, AWakeDuringTheWorkIsNotLost) {
    routine* self = nullptr;
    routine r("again", seldom, [&] {
        if (++times == 1) self->wake();
        return done.release(), false;
    });
    self = &r;
    r.start();
    EXPECT_TRUE(works_again());
    EXPECT_TRUE(works_again());
}

TEST_F(RoutineTest, GoesOnWithoutAPauseWhileThereIsMore) {
    routine r("more", seldom, [&] { return done.release(), ++times < 50; });
    r.start();
    for (int i = 0; i < 50; ++i) EXPECT_TRUE(works_again());
}

TEST_F(RoutineTest, WhatIsThrownDoesNotEndIt) {
    routine r("throws", 1ms, [&]() -> bool {
        done.release();
        throw std::runtime_error("as told");
    });
    r.start();
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(works_again());
}

TEST_F(RoutineTest, StopWaitsForTheWorkInHandAndNothingFollows) {
    std::latch go_on{1};
    std::atomic<bool> finished{false};
    routine r("stops", 1ms, [&] {
        done.release();
        go_on.wait();
        finished = true;
        ++times;
        return true;
    });
    r.start();
    ASSERT_TRUE(works_again());
    std::thread stopper([&] { r.stop(); });
    go_on.count_down();
    stopper.join();
    EXPECT_TRUE(finished);
    const int then = times;
    r.wake();
    r.stop();
    EXPECT_EQ(times, then);
}

TEST_F(RoutineTest, NeverStartedItStopsToo) {
    routine r("idle", 1ms, [&] { return ++times, false; });
    r.stop();
    EXPECT_EQ(times, 0);
}

}  // namespace
}  // namespace floodgate::clerk
