#include "queue/line_order.hpp"

#include <gtest/gtest.h>

#include "queue/received_line.hpp"

namespace floodgate::queue {
namespace {

line_entry entry(std::uint64_t last, std::size_t promises, std::size_t fingerprint = 0,
                 std::uint64_t epoch = 1) {
    return {.last = {epoch, last}, .promises = promises, .fingerprint = fingerprint};
}

TEST(LineOrder, TakesEntriesThatFollowEachOther) {
    line_order order;
    order.begin({1, 0});
    EXPECT_EQ(order.judge(entry(3, 3)), entry_verdict::next);
    EXPECT_EQ(order.judge(entry(4, 1)), entry_verdict::next);
    EXPECT_EQ(order.judge(entry(6, 1)), entry_verdict::gap);
    EXPECT_EQ(order.end(), (sale::line_place{1, 4}));
}

TEST(LineOrder, OnlyTheFirstMayBeginBeforeTheStart) {
    line_order order;
    order.begin({1, 5});
    EXPECT_EQ(order.judge(entry(8, 5)), entry_verdict::next);
    EXPECT_EQ(order.judge(entry(10, 3)), entry_verdict::foreign);
}

TEST(LineOrder, KnowsWhatCameBeforeByItsBytes) {
    line_order order;
    order.begin({1, 2});
    ASSERT_EQ(order.judge(entry(4, 2, 11)), entry_verdict::next);
    ASSERT_EQ(order.judge(entry(6, 2, 12)), entry_verdict::next);
    EXPECT_EQ(order.judge(entry(4, 2, 11)), entry_verdict::known);
    EXPECT_EQ(order.judge(entry(4, 2, 13)), entry_verdict::foreign) << "numbered anew";
    EXPECT_EQ(order.judge(entry(5, 1, 14)), entry_verdict::passed);
    EXPECT_EQ(order.judge(entry(2, 1, 15)), entry_verdict::before_start);
    order.removed(1);
    EXPECT_EQ(order.judge(entry(4, 2, 11)), entry_verdict::passed);
    EXPECT_EQ(order.judge(entry(6, 2, 12)), entry_verdict::known);
}

TEST(LineOrder, RefusesWhatCannotStandThere) {
    line_order order;
    order.begin({2, 0});
    EXPECT_EQ(order.judge(entry(1, 1, 0, 1)), entry_verdict::foreign);
    EXPECT_EQ(order.judge(entry(1, 1, 0, 3)), entry_verdict::foreign);
    EXPECT_EQ(order.judge(entry(1, 0, 0, 2)), entry_verdict::foreign);
    EXPECT_EQ(order.judge(entry(1, 2, 0, 2)), entry_verdict::foreign);
}

std::string bytes_of(std::uint64_t first, std::uint64_t last) {
    std::vector<sale::promise> promises;
    for (std::uint64_t n = first; n <= last; ++n)
        promises.push_back({.order = {n}, .sale = {1}, .buyer = {1}});
    return sale::encode_entry(promises);
}

TEST(ReceivedLine, KeepsPromisesUntilTheyAreEnteredAndEntriesUntilTheyAreRemoved) {
    received_line line;
    line.begin(sale::to_sequence({1, 0}));
    ASSERT_EQ(line.add({1, 3}, bytes_of(1, 3), 7), entry_verdict::next);
    ASSERT_EQ(line.add({1, 5}, bytes_of(4, 5), 8), entry_verdict::next);
    line.entered(sale::to_sequence({1, 4}));
    EXPECT_EQ(line.size(), 1U);
    ASSERT_EQ(line.to_remove(10).size(), 1U);
    EXPECT_EQ(line.to_remove(10)[0].tag, 7U);
    line.removed(1);
    EXPECT_TRUE(line.to_remove(10).empty());
    std::vector<sale::promise> out;
    const auto gone = line.read(sale::to_sequence({1, 3}), 1, out);
    ASSERT_FALSE(gone);
    EXPECT_EQ(gone.error(), errc::corrupt);
}

TEST(ReceivedLine, SaysWhetherTagsComeInOrder) {
    received_line line;
    line.begin(sale::to_sequence({1, 0}));
    ASSERT_EQ(line.add({1, 1}, bytes_of(1, 1), 1), entry_verdict::next);
    ASSERT_EQ(line.add({1, 2}, bytes_of(2, 2), 2), entry_verdict::next);
    EXPECT_EQ(line.tag({1, 1}, 3), received_line::tagging::doubled);
    line.forget_tags();
    EXPECT_EQ(line.tag({1, 2}, 1), received_line::tagging::out_of_order);
    EXPECT_EQ(line.tag({1, 1}, 2), received_line::tagging::in_order);
}

}  // namespace
}  // namespace floodgate::queue
