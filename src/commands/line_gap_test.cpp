#include "commands/line_gap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace floodgate::commands {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t epoch = 3;

gap_finder entered_up_to(std::uint64_t number) { return gap_finder({epoch, number}); }

TEST(LineGapTest, AWholeLineHasNone) {
    gap_finder line = entered_up_to(4);
    line.see({epoch, 6}, 2);
    line.see({epoch, 7}, 1);
    EXPECT_EQ(line.finish(7), std::nullopt);
    EXPECT_EQ(entered_up_to(4).finish(4), std::nullopt) << "nothing is left to enter";
}

// M8 of the security review: an entry that was removed from the stream was noticed by nobody.
TEST(LineGapTest, TheFirstMissingNumbersAreNamed) {
    gap_finder begins_late = entered_up_to(4);
    begins_late.see({epoch, 9}, 2);
    EXPECT_EQ(begins_late.finish(9), (line_gap{5, 7}));

    gap_finder in_the_middle = entered_up_to(4);
    in_the_middle.see({epoch, 5}, 1);
    in_the_middle.see({epoch, 8}, 1);
    in_the_middle.see({epoch, 10}, 1);
    EXPECT_EQ(in_the_middle.finish(10), (line_gap{6, 7})) << "the first of two";

    gap_finder ends_early = entered_up_to(4);
    ends_early.see({epoch, 5}, 1);
    EXPECT_EQ(ends_early.finish(8), (line_gap{6, 8}));
    EXPECT_EQ(entered_up_to(4).finish(8), (line_gap{5, 8})) << "an empty line";
}

TEST(LineGapTest, AnEntryThatIsPartlyEnteredContinuesTheLedger) {
    gap_finder line = entered_up_to(4);
    line.see({epoch, 6}, 5);
    EXPECT_EQ(line.finish(6), std::nullopt);
}

TEST(LineGapTest, EntriesOfAnotherEpochDoNotCount) {
    gap_finder line = entered_up_to(4);
    line.see({epoch + 1, 6}, 2);
    EXPECT_EQ(line.finish(6), (line_gap{5, 6}));
}

TEST(LineGapTest, APartitionOfAnotherEpochOrBehindTheLedgerDoesNotFit) {
    const auto wrong = [](const gate::partition_state& gate) {
        return partition_mismatch({2}, gate, {epoch, 4}).value_or("");
    };
    EXPECT_EQ(wrong({.epoch = epoch, .open = true, .appended = 4}), "");
    EXPECT_EQ(wrong({.epoch = epoch, .open = true, .appended = 9}), "");
    EXPECT_THAT(wrong({.epoch = epoch + 1, .open = true, .appended = 4}),
                HasSubstr("partition 2: the gate is in epoch 4, the ledger in 3"));
    EXPECT_THAT(wrong({.epoch = epoch, .open = true, .appended = 3}),
                HasSubstr("has entered 4 promises, the line ends at 3"));
}

}  // namespace
}  // namespace floodgate::commands
