#include "journal/pending.hpp"

#include <gtest/gtest.h>

#include <set>

#include "journal/test_line.hpp"

namespace floodgate::journal {
namespace {

constexpr std::size_t entry_bytes = entry_header_bytes + sale::promise_bytes;
constexpr std::size_t room_for_three = record_header_bytes + 3 * entry_bytes;

TEST(Pending, GivesEverythingOnceAndInOrder) {
    pending line(4096, {7});
    EXPECT_EQ(line.append(numbered(8)), sale::sequence{8});
    EXPECT_EQ(line.append(numbered(9)), sale::sequence{9});
    std::vector<batch> taken;
    line.take(taken);
    ASSERT_EQ(taken.size(), 1U);
    EXPECT_EQ(taken[0].first, sale::sequence{8});
    EXPECT_EQ(taken[0].count, 2U);
    line.take(taken);
    EXPECT_TRUE(taken.empty());
}

TEST(Pending, BeginsAnotherBatchWhenOneIsFull) {
    pending line(room_for_three, {0});
    for (std::uint64_t i = 1; i <= 8; ++i) line.append(numbered(i));
    std::vector<batch> taken;
    line.take(taken);
    ASSERT_EQ(taken.size(), 3U);
    EXPECT_EQ(taken[1].first, sale::sequence{4});
    EXPECT_EQ(taken[2].count, 2U);
}

TEST(Pending, UsesTwoBuffersInTurnWithoutAllocating) {
    pending line(4096, {0});
    std::vector<batch> taken;
    std::set<const std::byte*> buffers;
    for (std::uint64_t i = 1; i <= 20; ++i) {
        line.append(numbered(i));
        line.take(taken);
        buffers.insert(taken.at(0).bytes.data());
    }
    EXPECT_EQ(buffers.size(), 2U);
}

TEST(Pending, KeepsNothingAfterAFailureButGoesOnCounting) {
    pending line(4096, {0});
    line.append(numbered(1));
    line.discard();
    EXPECT_EQ(line.append(numbered(2)), sale::sequence{2});
    std::vector<batch> taken;
    line.take(taken);
    EXPECT_TRUE(taken.empty());
}

}  // namespace
}  // namespace floodgate::journal
