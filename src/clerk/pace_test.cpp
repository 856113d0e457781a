#include "clerk/pace.hpp"

#include <gtest/gtest.h>

namespace floodgate::clerk {
namespace {

TEST(EntryCeiling, WhatWasWrittenIsWaitedForAndQuietTimesAreNotSavedUp) {
    entry_ceiling c(1000);
    EXPECT_EQ(c.batch_max(), 100U);
    const moment start{std::chrono::hours(1)};
    EXPECT_EQ(c.wait(start), milliseconds(0));
    c.note(100, start);
    EXPECT_EQ(c.wait(start), milliseconds(100));
    c.note(100, start + milliseconds(50));
    EXPECT_EQ(c.wait(start + milliseconds(50)), milliseconds(150)) << "another clerk's counts too";
    EXPECT_EQ(c.wait(start + milliseconds(200)), milliseconds(0));
    c.note(100, start + std::chrono::minutes(1));
    EXPECT_EQ(c.wait(start + std::chrono::minutes(1)), milliseconds(100));
}

using enum priority;

TEST(Priority, FollowsTheTable) {
    const options o{.batch_max = 10, .starved = milliseconds(5000), .backlog_max = 1000};
    struct row {
        priority current;
        std::uint64_t backlog;
        std::int64_t oldest_ms;
        priority expected;
        const char* why;
    };
    const row table[] = {
        {low, 0, 0, low, "nothing to do"},
        {low, 10, 100, low, "a little to do"},
        {low, 500, 5000, low, "much to do, but nobody has waited too long"},
        {low, 501, 0, normal, "half of what the gate allows is used up"},
        {low, 1, 5001, normal, "one buyer has waited too long"},
        {low, 1'000'000, 1'000'000, normal, "both"},
        {normal, 500, 5000, normal, "no longer pressing, not yet caught up"},
        {normal, 11, 0, normal, "still more than a batch"},
        {normal, 10, 0, low, "caught up: the rest is one batch"},
        {normal, 0, 0, low, "caught up"},
        {normal, 10, 5001, normal, "a small backlog, but old: the ledger was away"},
        {normal, 501, 0, normal, "still pressing"},
    };
    for (const row& r : table)
        EXPECT_EQ(priority_for({r.current, r.backlog, milliseconds(r.oldest_ms)}, o), r.expected)
            << r.why;
}

TEST(Pressing, BeginsWithAgeOrBacklogAndEndsWhenCaughtUp) {
    const options o{.batch_max = 10, .patience = milliseconds(5000), .backlog_max = 1000};
    const auto now = [&](bool was, std::uint64_t backlog, std::int64_t oldest_ms) {
        return pressing(was, {.backlog = backlog, .oldest_age = milliseconds(oldest_ms)}, o);
    };
    EXPECT_FALSE(now(false, 500, 5000));
    EXPECT_TRUE(now(false, 500, 5001));
    EXPECT_TRUE(now(false, 501, 0));
    EXPECT_TRUE(now(true, 11, 0));
    EXPECT_FALSE(now(true, 10, 0));
}

TEST(Rush, IsOnWhileMoreComeThanTheLimitSays) {
    using namespace std::chrono_literals;
    rush_sense sense(10'000);
    rush_sense::moment now{1s};
    EXPECT_FALSE(sense.look(1'000'000, now)) << "what was there at first came at no known speed";
    EXPECT_FALSE(sense.look(1'000'200, now += 20ms)) << "exactly the limit";
    EXPECT_TRUE(sense.look(1'000'401, now += 20ms)) << "one more";
    EXPECT_TRUE(sense.look(1'000'401, now += 5ms)) << "too soon to tell";
    EXPECT_FALSE(sense.look(1'000'401, now += 15ms)) << "it is over";
}

TEST(Retry, WaitsTwiceAsLongEachTimeUpToASecond) {
    const std::int64_t expected[] = {50, 100, 200, 400, 800, 1000, 1000};
    for (std::uint64_t failures = 1; failures <= 7; ++failures)
        EXPECT_EQ(retry_after(failures, {}).count(), expected[failures - 1]) << failures;
    EXPECT_EQ(retry_after(~std::uint64_t{0}, {}).count(), 1000);
}

}  // namespace
}  // namespace floodgate::clerk
