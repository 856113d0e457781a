#include "engine/kept_partitions.hpp"

#include <gtest/gtest.h>

namespace floodgate::engine {
namespace {

TEST(KeptPartitionsTest, ALineHasMoreThanTheLedgerOnlyInTheSameEpoch) {
    const sale::line_place entered{2, 5};
    EXPECT_TRUE(has_more({.epoch = 2, .open = true, .appended = 6}, entered));
    EXPECT_FALSE(has_more({.epoch = 2, .open = true, .appended = 5}, entered));
    EXPECT_FALSE(has_more({.epoch = 2, .open = true, .appended = 4}, entered));
    EXPECT_FALSE(has_more({.epoch = 3, .open = true, .appended = 6}, entered));
    EXPECT_FALSE(has_more({}, {})) << "never built, nothing entered";
}

TEST(KeptPartitionsTest, FiguresAreAddedAndTheWorstTimesCount) {
    const clerk::figures quick{.entered = 10,
                               .refused = 1,
                               .put_aside = 2,
                               .batches = 3,
                               .last_batch = 9,
                               .last_batch_took = milliseconds(4),
                               .backlog = 100,
                               .lag = milliseconds(7)};
    const clerk::figures slow{.entered = 1,
                              .refused = 10,
                              .put_aside = 20,
                              .batches = 30,
                              .last_batch = 2,
                              .last_batch_took = milliseconds(40),
                              .backlog = 1,
                              .lag = milliseconds(70)};
    const clerk::figures sum = total_of({{.clerk = quick}, {.clerk = slow}});
    EXPECT_EQ(sum.entered, 11U);
    EXPECT_EQ(sum.refused, 11U);
    EXPECT_EQ(sum.put_aside, 22U);
    EXPECT_EQ(sum.batches, 33U);
    EXPECT_EQ(sum.last_batch, 9U);
    EXPECT_EQ(sum.last_batch_took, milliseconds(40));
    EXPECT_EQ(sum.backlog, 101U);
    EXPECT_EQ(sum.lag, milliseconds(70));
    EXPECT_EQ(sum.failing_since, never);
}

TEST(KeptPartitionsTest, TheFirstThatFailedSaysSinceWhen) {
    const auto failing = [](instant since) {
        return clerk::keeper_figures{.clerk = {.failing_since = since}};
    };
    EXPECT_EQ(total_of({}).failing_since, never);
    EXPECT_EQ(total_of({failing(never), failing(from_ms(9)), failing(from_ms(5))}).failing_since,
              from_ms(5));
}

}  // namespace
}  // namespace floodgate::engine
