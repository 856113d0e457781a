#include "guard/rate_limiter.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>

namespace floodgate::guard {
namespace {

constexpr instant noon{milliseconds(1'800'000'000'000)};
constexpr milliseconds go{0};

// How many of `tries` at one moment are let through.
int let_through(rate_limiter& limiter, std::uint64_t key, instant now, int tries = 1000) {
    int n = 0;
    for (int i = 0; i < tries; ++i) n += limiter.try_take(key, now) == go ? 1 : 0;
    return n;
}

TEST(RateLimiter, LetsABurstThroughAndThenSaysHowLongToWait) {
    rate_limiter limiter({.rate_per_s = 10, .burst = 3, .keys_max = 100});
    EXPECT_EQ(let_through(limiter, 7, noon, 3), 3);
    EXPECT_EQ(limiter.try_take(7, noon), milliseconds(100));
    EXPECT_EQ(limiter.try_take(7, noon + milliseconds(40)), milliseconds(60));
    EXPECT_EQ(limiter.try_take(7, noon + milliseconds(99)), milliseconds(1));
    EXPECT_EQ(limiter.try_take(7, noon + milliseconds(100)), go);
    EXPECT_EQ(limiter.try_take(7, noon + milliseconds(100)), milliseconds(100));
}

TEST(RateLimiter, SaysHowLongToWaitWithoutTakingAnything) {
    rate_limiter limiter({.rate_per_s = 10, .burst = 3, .keys_max = 100});
    for (int i = 0; i < 10; ++i) EXPECT_EQ(limiter.wait_for(7, noon), go);
    EXPECT_EQ(let_through(limiter, 7, noon, 3), 3);
    EXPECT_EQ(limiter.wait_for(7, noon + milliseconds(40)), milliseconds(60));
    EXPECT_EQ(limiter.wait_for(8, noon), go) << "another key";
    EXPECT_EQ(limiter.wait_for(7, noon + milliseconds(100)), go);
    EXPECT_EQ(let_through(limiter, 7, noon + milliseconds(100)), 1);
    rate_limiter unlimited({});
    EXPECT_EQ(unlimited.wait_for(7, noon), go);
}

TEST(RateLimiter, HoldsTheRateInTheLongRun) {
    rate_limiter limiter({.rate_per_s = 3, .burst = 5, .keys_max = 100});
    int n = 0;
    for (int ms = 0; ms < 100'000; ms += 7)
        n += let_through(limiter, 1, noon + milliseconds(ms), 2);
    EXPECT_NEAR(n, 305, 1);
}

TEST(RateLimiter, NeverSavesUpMoreThanABurst) {
    rate_limiter limiter({.rate_per_s = 10, .burst = 3, .keys_max = 100});
    EXPECT_EQ(let_through(limiter, 7, noon), 3);
    EXPECT_EQ(let_through(limiter, 7, noon + std::chrono::hours(24 * 365)), 3);
}

TEST(RateLimiter, ARefusedTryCostsNothing) {
    rate_limiter limiter({.rate_per_s = 1, .burst = 1, .keys_max = 100});
    EXPECT_EQ(let_through(limiter, 7, noon, 100'000), 1);
    EXPECT_EQ(limiter.try_take(7, noon + milliseconds(1000)), go);
}

TEST(RateLimiter, PutsATokenBackThatDidNotHaveToBeTaken) {
    rate_limiter limiter({.rate_per_s = 1, .burst = 3, .keys_max = 100});
    EXPECT_EQ(let_through(limiter, 7, noon), 3);
    limiter.give_back(7);
    EXPECT_EQ(let_through(limiter, 7, noon), 1);
    limiter.give_back(8);  // never heard of
    for (int i = 0; i < 10; ++i) limiter.give_back(7);
    EXPECT_EQ(let_through(limiter, 7, noon), 3) << "a bucket holds no more than its burst";
}

TEST(RateLimiter, ServesRatesAboveOneAMillisecondAndBelowOneADay) {
    rate_limiter fast({.rate_per_s = 50'000, .burst = 100, .keys_max = 100});
    EXPECT_EQ(let_through(fast, 1, noon), 100);
    EXPECT_EQ(fast.try_take(1, noon), milliseconds(1)) << "a wait is never zero";
    EXPECT_EQ(let_through(fast, 1, noon + milliseconds(1)), 50);

    rate_limiter slow({.rate_per_s = 1.0 / 200'000, .burst = 1, .keys_max = 100});
    EXPECT_EQ(slow.try_take(1, noon), go);
    EXPECT_EQ(slow.try_take(1, noon), std::chrono::seconds(200'000));
}

TEST(RateLimiter, KeepsKeysApart) {
    rate_limiter limiter({.rate_per_s = 1, .burst = 2, .keys_max = 4096});
    for (const std::uint64_t key : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}})
        EXPECT_EQ(let_through(limiter, key, noon), 2) << key;
}

TEST(RateLimiter, WithoutARateLetsEverythingThrough) {
    rate_limiter limiter({.rate_per_s = 0, .burst = 0, .keys_max = 0});
    EXPECT_EQ(let_through(limiter, 7, noon, 100'000), 100'000);
}

TEST(RateLimiter, ClocksThatDisagreeALittleAddNoTime) {
    rate_limiter limiter({.rate_per_s = 10, .burst = 1, .keys_max = 100});
    EXPECT_EQ(limiter.try_take(7, noon + milliseconds(50)), go);
    for (int i = 0; i < 1000; ++i) {
        EXPECT_EQ(limiter.try_take(7, noon), milliseconds(100));
        EXPECT_EQ(limiter.try_take(7, noon + milliseconds(50)), milliseconds(100));
    }
    EXPECT_EQ(limiter.try_take(7, noon + milliseconds(150)), go);
}

TEST(RateLimiter, AClockThatIsSetBackStopsNobodyForLong) {
    rate_limiter limiter({.rate_per_s = 10, .burst = 1, .keys_max = 100});
    EXPECT_EQ(limiter.try_take(7, noon), go);
    const instant earlier = noon - std::chrono::hours(1);
    EXPECT_EQ(limiter.try_take(7, earlier), milliseconds(100)) << "no time has passed";
    EXPECT_EQ(limiter.try_take(7, earlier + milliseconds(100)), go);
}

TEST(RateLimiter, SurvivesSenselessTimes) {
    rate_limiter limiter({.rate_per_s = 10, .burst = 2, .keys_max = 100});
    for (const instant now : {never, instant::min(), from_ms(0), never, noon, instant::min()})
        EXPECT_LE(limiter.try_take(7, now), milliseconds(100));
}

TEST(RateLimiter, AtItsLimitRecyclesTheBucketClosestToFull) {
    rate_limiter limiter({.rate_per_s = 1, .burst = 10, .keys_max = 8});
    for (std::uint64_t key = 1; key <= 8; ++key) let_through(limiter, key, noon, int(key));
    EXPECT_EQ(limiter.try_take(9, noon), go);  // in place of 1, which had used least
    EXPECT_EQ(let_through(limiter, 8, noon), 2);
    EXPECT_EQ(let_through(limiter, 7, noon), 3);
    EXPECT_EQ(let_through(limiter, 1, noon), 10) << "forgotten: a full bucket again";
}

TEST(RateLimiter, ReusesFullBucketsBeforeAnyOther) {
    rate_limiter limiter({.rate_per_s = 1, .burst = 1, .keys_max = 8});
    EXPECT_EQ(limiter.try_take(1, noon), go);
    const instant later = noon + milliseconds(500);
    for (std::uint64_t key = 2; key <= 8; ++key) EXPECT_EQ(limiter.try_take(key, later), go);
    EXPECT_EQ(limiter.try_take(9, noon + milliseconds(1000)), go);  // 1 is full by now
    for (std::uint64_t key = 2; key <= 8; ++key)
        EXPECT_NE(limiter.try_take(key, noon + milliseconds(1000)), go) << key;
}

TEST(RateLimiter, AFloodOfKeysNeverCausesARefusal) {
    rate_limiter limiter({.rate_per_s = 1, .burst = 1, .keys_max = 64});
    for (std::uint64_t key = 0; key < 100'000; ++key) ASSERT_EQ(limiter.try_take(key, noon), go);
}

TEST(RateLimiter, HasRoomForNearlyAllOfKeysMax) {
    rate_limiter limiter({.rate_per_s = 1, .burst = 1, .keys_max = 1 << 16});
    constexpr std::uint64_t keys = 1 << 14;
    for (std::uint64_t key = 0; key < keys; ++key) limiter.try_take(key, noon);
    std::uint64_t remembered = 0;
    for (std::uint64_t key = 0; key < keys; ++key)
        remembered += limiter.try_take(key, noon) != go ? 1U : 0U;
    EXPECT_GE(remembered, keys * 99 / 100);
}

TEST(RateLimiter, ManyThreadsTogetherGetOneBurst) {
    rate_limiter limiter({.rate_per_s = 0.001, .burst = 1000, .keys_max = 100'000});
    std::atomic<int> passed{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (std::uint64_t i = 0; i < 5000; ++i) {
                passed += limiter.try_take(42, noon + milliseconds(i % 3)) == go ? 1 : 0;
                limiter.try_take(i, noon);
            }
        });
    for (std::thread& t : threads) t.join();
    EXPECT_NEAR(passed.load(), 1000, 4) << "the other loop meets key 42 too";
}

TEST(RateLimiter, RefusesSenselessLimits) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinite = std::numeric_limits<double>::infinity();
    EXPECT_THROW(rate_limiter({.rate_per_s = -1}), std::invalid_argument);
    EXPECT_THROW(rate_limiter({.rate_per_s = nan}), std::invalid_argument);
    EXPECT_THROW(rate_limiter({.rate_per_s = infinite}), std::invalid_argument);
    EXPECT_THROW(rate_limiter({.rate_per_s = 1, .burst = 0}), std::invalid_argument);
    EXPECT_THROW(rate_limiter({.rate_per_s = 1, .keys_max = 0}), std::invalid_argument);
    EXPECT_THROW(rate_limiter({.rate_per_s = 1e-9, .burst = 5}), std::invalid_argument);
}

TEST(RateLimiterChange, TakesOverAnotherRateWhileItRuns) {
    rate_limiter limiter({.rate_per_s = 1, .burst = 1, .keys_max = 8});
    const instant now = from_ms(1'800'000'000'000);
    EXPECT_EQ(limiter.try_take(7, now), milliseconds(0));
    EXPECT_GT(limiter.try_take(7, now), milliseconds(0));
    EXPECT_TRUE(limiter.change({.rate_per_s = 1, .burst = 3, .keys_max = 8}));
    EXPECT_EQ(limiter.try_take(7, now), milliseconds(0)) << "a larger burst";
    EXPECT_TRUE(limiter.change({}));
    for (int i = 0; i < 50; ++i) EXPECT_EQ(limiter.try_take(7, now), milliseconds(0));
    rate_limiter unlimited({});
    EXPECT_FALSE(unlimited.change({.rate_per_s = 1, .burst = 1, .keys_max = 8}));
}

}  // namespace
}  // namespace floodgate::guard
