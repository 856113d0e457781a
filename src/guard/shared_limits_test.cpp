#include "guard/shared_limits.hpp"

#include <gtest/gtest.h>

#include "store/redis/redis_fixture.hpp"

namespace floodgate::guard {
namespace {

constexpr milliseconds go{0};
constexpr std::int64_t second_ns = 1'000'000'000;

// Without Redis: what a limiter notes and takes over.

const instant noon = from_ms(1'800'000'000'000);

int let_through(rate_limiter& limiter, std::uint64_t key, instant now, int tries = 1000) {
    int n = 0;
    for (int i = 0; i < tries; ++i) n += limiter.try_take(key, now) == go ? 1 : 0;
    return n;
}

TEST(RateLimiterShare, NotesNothingUnlessAsked) {
    rate_limiter limiter({.rate_per_s = 1, .burst = 10, .keys_max = 64});
    let_through(limiter, 1, noon);
    EXPECT_TRUE(limiter.take_usage(noon).empty());
}

TEST(RateLimiterShare, NotesOnlyWhatIsWellUsedAndAllOfItOnce) {
    rate_limiter limiter({.rate_per_s = 1, .burst = 10, .keys_max = 64});
    limiter.share(0.5, 1000);
    let_through(limiter, 1, noon, 4);
    EXPECT_TRUE(limiter.take_usage(noon).empty()) << "an honest buyer";
    let_through(limiter, 1, noon, 2);
    auto used = limiter.take_usage(noon);
    ASSERT_EQ(used.size(), 1U);
    EXPECT_EQ(used[0].key, 1U);
    EXPECT_EQ(used[0].taken, 6 * second_ns) << "also what came before";
    EXPECT_TRUE(limiter.take_usage(noon).empty());
    let_through(limiter, 1, noon, 1);
    used = limiter.take_usage(noon);
    ASSERT_EQ(used.size(), 1U);
    EXPECT_EQ(used[0].taken, second_ns);
}

TEST(RateLimiterShare, NotesWhatWasGivenBackToo) {
    rate_limiter limiter({.rate_per_s = 1, .burst = 10, .keys_max = 64});
    limiter.share(0.5, 1000);
    let_through(limiter, 1, noon, 6);
    limiter.give_back(1);
    auto used = limiter.take_usage(noon);
    ASSERT_EQ(used.size(), 1U);
    EXPECT_EQ(used[0].taken, 5 * second_ns);
    limiter.give_back(1);
    used = limiter.take_usage(noon);
    ASSERT_EQ(used.size(), 1U);
    EXPECT_EQ(used[0].taken, -second_ns) << "it had been told already";
}

TEST(RateLimiterShare, ForgetsABucketWhenItIsFull) {
    rate_limiter limiter({.rate_per_s = 1, .burst = 10, .keys_max = 64});
    limiter.share(0.5, 1000);
    let_through(limiter, 1, noon);
    EXPECT_EQ(limiter.take_usage(noon).size(), 1U);
    const instant later = noon + milliseconds(10'000);
    EXPECT_TRUE(limiter.take_usage(later).empty());
    let_through(limiter, 1, later, 5);
    const auto used = limiter.take_usage(later);
    ASSERT_EQ(used.size(), 1U);
    EXPECT_EQ(used[0].taken, 5 * second_ns);
}

TEST(RateLimiterShare, NotesOnlySoManyKeys) {
    rate_limiter limiter({.rate_per_s = 1, .burst = 1, .keys_max = 1 << 16});
    limiter.share(0.5, 640);
    for (std::uint64_t key = 1; key <= 10'000; ++key) let_through(limiter, key, noon, 1);
    const std::size_t noted = limiter.take_usage(noon).size();
    EXPECT_LE(noted, 640U);
    EXPECT_GE(noted, 500U);
}

TEST(RateLimiterShare, TakesOverWhatIsMissingOverAllNodes) {
    rate_limiter limiter({.rate_per_s = 1, .burst = 10, .keys_max = 64});
    limiter.share(0, 1000);
    let_through(limiter, 1, noon, 3);
    EXPECT_EQ(limiter.take_usage(noon).size(), 1U);
    let_through(limiter, 1, noon, 1);  // while Redis was asked
    limiter.merge(1, 7 * second_ns, noon);
    EXPECT_EQ(let_through(limiter, 1, noon), 2);
    limiter.merge(1, 0, noon);
    EXPECT_EQ(let_through(limiter, 1, noon), 0) << "nothing is given back";
    limiter.merge(2, 100 * second_ns, noon);
    EXPECT_EQ(let_through(limiter, 2, noon), 10) << "a key without a bucket";
}

TEST(RateLimiterShare, PaysBackOnlySoMuch) {
    rate_limiter limiter({.rate_per_s = 1, .burst = 10, .keys_max = 64});
    limiter.share(0, 1000);
    let_through(limiter, 1, noon);
    limiter.merge(1, std::int64_t{1'000'000} * second_ns, noon);
    EXPECT_NE(limiter.try_take(1, noon + milliseconds(12'000)), go);
    EXPECT_EQ(limiter.try_take(1, noon + milliseconds(13'000)), go);
    EXPECT_EQ(let_through(limiter, 1, noon + std::chrono::hours(1)), 10);
}

TEST(RateLimiterShare, AnUnlimitedOneHasNothingToTell) {
    rate_limiter limiter({});
    limiter.share(0, 1000);
    let_through(limiter, 1, noon);
    EXPECT_TRUE(limiter.take_usage(noon).empty());
    limiter.merge(1, second_ns, noon);
}

class SharedLimitsTest : public testing::TestWithParam<bool> {
protected:
    void SetUp() override {
        FLOODGATE_NEED_REDIS(GetParam());
        redis_ = std::make_unique<store::redis>(store::shared_redis(GetParam()));
    }
    std::string name_ = store::random_name();
    std::unique_ptr<store::redis> redis_;
};

// Somebody who goes to both nodes as fast as they can, for four minutes. What Redis keeps goes by
// its own clock after a minute at most: much longer than the test takes.
TEST_P(SharedLimitsTest, TwoNodesTogetherAllowAboutWhatOneDoes) {
    const rate_limit limit{.rate_per_s = 20.0 / 60, .burst = 20, .keys_max = 1024};
    rate_limiter a(limit);
    rate_limiter b(limit);
    shared_limits at_a(*redis_, name_, shared_limits::time_source::caller);
    shared_limits at_b(*redis_, name_, shared_limits::time_source::caller);
    at_a.add("purchase", a, 0.25);
    at_b.add("purchase", b, 0.25);
    int passed = 0;
    for (int turn = 1; turn <= 800; ++turn) {
        const instant now = noon + turn * milliseconds(300);
        passed += let_through(a, 1, now, 1) + let_through(b, 1, now, 1);
        if (turn % 20 != 0) continue;
        ASSERT_TRUE(at_a.exchange(now));
        ASSERT_TRUE(at_b.exchange(now));
    }
    // One node allows 20 + 4 * 20 = 100. Two nodes that do not share would allow 200.
    EXPECT_LE(passed, 130);
    EXPECT_GE(passed, 80);
}

TEST_P(SharedLimitsTest, OneThatIsUsedUpAtOneNodeIsUsedUpAtTheOther) {
    // There are so many buckets that no set of eight is ever full; which keys share a set is
    // random.
    const rate_limit limit{.rate_per_s = 0.1, .burst = 100, .keys_max = 1 << 17};
    rate_limiter a(limit);
    rate_limiter b(limit);
    shared_limits at_a(*redis_, name_);
    shared_limits at_b(*redis_, name_);
    at_a.add("x", a, 0.5);
    at_b.add("x", b, 0.5);
    const instant now = wall_clock().now();
    for (std::uint64_t key = 1; key <= 1200; ++key) {
        let_through(a, key, now, 100);
        let_through(b, key, now, 50);
    }
    ASSERT_TRUE(at_a.exchange(now));
    ASSERT_TRUE(at_b.exchange(now));
    for (std::uint64_t key = 1; key <= 1200; ++key) ASSERT_EQ(let_through(b, key, now), 0) << key;
    EXPECT_EQ(let_through(b, 5000, now, 100), 100) << "another key";
}

TEST_P(SharedLimitsTest, LimitersOfDifferentNamesAreApart) {
    const rate_limit limit{.rate_per_s = 0.1, .burst = 10, .keys_max = 64};
    rate_limiter a(limit);
    rate_limiter b(limit);
    shared_limits both(*redis_, name_);
    both.add("a", a, 0);
    both.add("b", b, 0);
    const instant now = wall_clock().now();
    let_through(a, 1, now, 10);
    let_through(b, 1, now, 1);
    ASSERT_TRUE(both.exchange(now));
    EXPECT_EQ(let_through(b, 1, now), 9);
}

TEST_P(SharedLimitsTest, WhatIsGivenBackAtOneNodeDoesNotCountAtTheOther) {
    const rate_limit limit{.rate_per_s = 0.1, .burst = 10, .keys_max = 64};
    rate_limiter a(limit);
    rate_limiter b(limit);
    shared_limits at_a(*redis_, name_);
    shared_limits at_b(*redis_, name_);
    at_a.add("x", a, 0);
    at_b.add("x", b, 0);
    const instant now = wall_clock().now();
    let_through(a, 1, now, 8);
    ASSERT_TRUE(at_a.exchange(now));
    for (int i = 0; i < 12; ++i) a.give_back(1);  // more than it ever took
    ASSERT_TRUE(at_a.exchange(now));
    let_through(b, 1, now, 1);
    ASSERT_TRUE(at_b.exchange(now));
    EXPECT_EQ(let_through(b, 1, now), 9);
}

TEST_P(SharedLimitsTest, HonestBuyersNeverReachRedis) {
    rate_limiter a({.rate_per_s = 1, .burst = 10, .keys_max = 64});
    shared_limits at_a(*redis_, name_);
    at_a.add("x", a, 0.5);
    const instant now = wall_clock().now();
    let_through(a, 1, now, 4);
    ASSERT_TRUE(at_a.exchange(now));
    const std::string key = name_ + ":limit:{l1}:x:0100000000000000";
    EXPECT_EQ(redis_->ask(key, {"EXISTS", key})->integer, 0);
    let_through(a, 1, now, 1);
    ASSERT_TRUE(at_a.exchange(now));
    EXPECT_EQ(redis_->ask(key, {"EXISTS", key})->integer, 1);
    EXPECT_GT(redis_->ask(key, {"PTTL", key})->integer, 0) << "and it goes by itself";
}

INSTANTIATE_TEST_SUITE_P(Redis, SharedLimitsTest, testing::Bool(),
                         [](const auto& p) { return p.param ? "Cluster" : "Plain"; });

TEST(SharedLimits, EachNodeLimitsForItselfWithoutRedis) {
    store::own_redis server;
    store::redis redis(server.options());
    server.kill();
    rate_limiter a({.rate_per_s = 0.1, .burst = 10, .keys_max = 64});
    shared_limits at_a(redis, "fg");
    at_a.add("x", a, 0);
    const instant now = wall_clock().now();
    EXPECT_EQ(let_through(a, 1, now), 10);
    EXPECT_FALSE(at_a.exchange(now));
    EXPECT_EQ(let_through(a, 1, now), 0);
    EXPECT_TRUE(at_a.exchange(now)) << "nothing more to tell";
}

}  // namespace
}  // namespace floodgate::guard
