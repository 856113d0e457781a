#include "base/periodic_task.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <latch>
#include <pthread.h>
#include <semaphore>
#include <stdexcept>
#include <vector>

namespace floodgate {
namespace {

using namespace std::chrono_literals;

constexpr milliseconds seldom = 10min;  // only being woken or stopped ends such a rest
constexpr auto far = 20s;               // only a broken task lets a test wait so long

struct PeriodicTaskTest : testing::Test {
    std::counting_semaphore<> done{0};
    std::atomic<int> times{0};

    bool steps_again() { return done.try_acquire_for(far); }
};

TEST_F(PeriodicTaskTest, StepsAtOnceAndThenAfterEachInterval) {
    periodic_task t("every", 1ms, [&] { done.release(); });
    t.start();
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(steps_again());
}

TEST_F(PeriodicTaskTest, StepsWhenItIsWoken) {
    periodic_task t("woken", seldom, [&] { done.release(); });
    t.start();
    ASSERT_TRUE(steps_again());
    for (int i = 0; i < 1000; ++i) {
        t.wake();
        ASSERT_TRUE(steps_again());
    }
}

TEST_F(PeriodicTaskTest, AWakeDuringTheStepIsNotLost) {
    periodic_task* self = nullptr;
    periodic_task t("again", seldom, [&] {
        if (++times == 1) self->wake();
        done.release();
    });
    self = &t;
    t.start();
    EXPECT_TRUE(steps_again());
    EXPECT_TRUE(steps_again());
}

TEST_F(PeriodicTaskTest, GoesOnWithoutARestWhileThereIsMore) {
    periodic_task t("more", seldom, [&] { return done.release(), ++times < 50; });
    t.start();
    for (int i = 0; i < 50; ++i) EXPECT_TRUE(steps_again());
}

TEST_F(PeriodicTaskTest, TheStepSaysHowLongToRest) {
    const std::array rests{next_step::at_once(), next_step::after(1ms), next_step::after(-1ms),
                           next_step::not_before(1ms), next_step::after(milliseconds::max())};
    periodic_task t("says", seldom, [&] {
        done.release();
        return rests.at(static_cast<std::size_t>(times++));
    });
    t.start();
    for (std::size_t i = 0; i < rests.size(); ++i) ASSERT_TRUE(steps_again());
    t.stop();
    EXPECT_EQ(times, static_cast<int>(rests.size())) << "the last rest is a long one";
}

TEST_F(PeriodicTaskTest, RestsUntilItIsWoken) {
    periodic_task t("sleeps", 1ms, [&] {
        ++times;
        done.release();
        return next_step::when_woken();
    });
    t.start();
    ASSERT_TRUE(steps_again());
    t.wake();
    ASSERT_TRUE(steps_again());
    t.stop();
    EXPECT_EQ(times, 2) << "the interval plays no part";
}

TEST_F(PeriodicTaskTest, ARestThatIsNotToBeDisturbedIsNot) {
    std::vector<std::chrono::steady_clock::time_point> began;
    periodic_task t("deaf", seldom, [&] {
        began.push_back(std::chrono::steady_clock::now());
        done.release();
        return began.size() == 1 ? next_step::not_before(30ms) : next_step::when_woken();
    });
    t.start();
    ASSERT_TRUE(steps_again());
    for (int i = 0; i < 100; ++i) t.wake();
    ASSERT_TRUE(steps_again());
    t.stop();
    EXPECT_GE(began[1] - began[0], 30ms);
}

TEST_F(PeriodicTaskTest, StopEndsARestThatIsNotToBeDisturbed) {
    periodic_task t("deaf", seldom, [&] {
        done.release();
        return next_step::not_before(seldom);
    });
    t.start();
    ASSERT_TRUE(steps_again());
    t.stop();
}

TEST_F(PeriodicTaskTest, WhatIsThrownDoesNotEndItAndIsLoggedOnce) {
    testing::internal::CaptureStderr();
    periodic_task t("throws", 1ms, [&] {
        if (++times == 3) throw 7;
        if (times < 3) throw std::runtime_error("as told");
        done.release();
    });
    t.start();
    EXPECT_TRUE(steps_again());
    EXPECT_TRUE(steps_again());
    t.stop();
    const std::string log = testing::internal::GetCapturedStderr();
    EXPECT_THAT(log, testing::HasSubstr("base.task_failed task=throws reason=\"as told\""));
    EXPECT_THAT(log, testing::HasSubstr("base.task_recovered task=throws failures=3"));
    EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 2) << log;
}

TEST_F(PeriodicTaskTest, StopWaitsForTheStepInHandAndNothingFollows) {
    std::latch go_on{1};
    std::atomic<bool> finished{false};
    periodic_task t("stops", 1ms, [&] {
        done.release();
        go_on.wait();
        finished = true;
        ++times;
        return true;
    });
    t.start();
    ASSERT_TRUE(steps_again());
    std::thread stopper([&] { t.stop(); });
    go_on.count_down();
    stopper.join();
    EXPECT_TRUE(finished);
    const int then = times;
    t.wake();
    t.stop();
    EXPECT_EQ(times, then);
}

TEST_F(PeriodicTaskTest, SeveralMayStopIt) {
    periodic_task t("stopped", 1ms, [&] { done.release(); });
    t.start();
    ASSERT_TRUE(steps_again());
    std::vector<std::thread> stoppers;
    for (int i = 0; i < 4; ++i) stoppers.emplace_back([&] { t.stop(); });
    for (std::thread& s : stoppers) s.join();
}

TEST_F(PeriodicTaskTest, NeverStartedItStopsToo) {
    periodic_task t(
        "idle", 1ms, [&] { ++times; }, [&] { ++times; });
    EXPECT_TRUE(t.stop_within(0ms));
    t.stop();
    EXPECT_EQ(times, 0);
}

TEST_F(PeriodicTaskTest, StartsAgainAfterAStop) {
    periodic_task t("again", seldom, [&] { done.release(); });
    for (int i = 0; i < 3; ++i) {
        t.start();
        ASSERT_TRUE(steps_again());
        t.stop();
        EXPECT_TRUE(t.stopping());
    }
}

TEST_F(PeriodicTaskTest, FinishesOnItsOwnThreadAfterTheLastStep) {
    std::thread::id stepped, finished;
    periodic_task t(
        "finishes", seldom,
        [&] {
            stepped = std::this_thread::get_id();
            done.release();
        },
        [&] {
            finished = std::this_thread::get_id();
            ++times;
            throw std::runtime_error("not even this ends the process");
        });
    t.start();
    ASSERT_TRUE(steps_again());
    t.stop();
    t.stop();
    EXPECT_EQ(times, 1);
    EXPECT_EQ(stepped, finished);
    EXPECT_NE(finished, std::this_thread::get_id());
}

TEST_F(PeriodicTaskTest, AStepMaySayThatItWasTheLast) {
    periodic_task t(
        "once", 1ms,
        [&] {
            done.release();
            return next_step::never();
        },
        [&] { ++times; });
    t.start();
    ASSERT_TRUE(steps_again());
    t.wake();
    t.stop();
    EXPECT_FALSE(done.try_acquire());
    EXPECT_EQ(times, 0) << "finish is for a task that was stopped";
}

TEST_F(PeriodicTaskTest, StopWithinATimeSaysWhetherItHasEnded) {
    std::latch interrupted{1};
    periodic_task t("stuck", seldom, [&] {
        done.release();
        interrupted.wait();
    });
    t.start();
    ASSERT_TRUE(steps_again());
    EXPECT_FALSE(t.stop_within(1ms));
    EXPECT_TRUE(t.stopping());
    interrupted.count_down();
    EXPECT_TRUE(t.stop_within(far));
    t.stop();
}

TEST_F(PeriodicTaskTest, TheThreadHasItsNameAsFarAsThereIsRoom) {
    std::array<char, 16> name{};
    periodic_task t("a name of 19 letters", seldom, [&] {
        pthread_getname_np(pthread_self(), name.data(), name.size());
        done.release();
    });
    t.start();
    ASSERT_TRUE(steps_again());
    t.stop();
    EXPECT_STREQ(name.data(), "a name of 19 le");
}

}  // namespace
}  // namespace floodgate
