#include "sale/partition.hpp"

#include <gtest/gtest.h>

namespace floodgate::sale {
namespace {

promise numbered(std::uint64_t n) {
    return {.order = {n}, .sale = {3}, .buyer = {7}, .quantity = 2, .unit_price = {9900}};
}

TEST(Partition, KeysCarryThePartitionAsTheirHashTag) {
    EXPECT_EQ(key_of("fg", {3}, "line"), "fg:{3}:line");
    EXPECT_EQ(key_of("shop", {17}, "sale:5"), "shop:{17}:sale:5");
}

TEST(Partition, PlacesGrowWithEpochAndNumber) {
    const line_place early{.epoch = 1, .number = (std::uint64_t{1} << 40U) - 1};
    const line_place late{.epoch = 2, .number = 0};
    EXPECT_LT(to_sequence(early), to_sequence(late));
    EXPECT_EQ(to_place(to_sequence(early)), early);
    EXPECT_EQ(to_place(to_sequence(late)), late);
}

TEST(Partition, EntryIdsAreReadBackAndNothingElseIs) {
    const line_place at{.epoch = 7, .number = 1042};
    EXPECT_EQ(entry_id(at), "7-1042");
    EXPECT_EQ(parse_entry_id("7-1042"), at);
    for (const char* wrong : {"", "-", "7", "7-", "-7", "7-x", "x-7", "7-1-1", " 7-1", "7- 1"})
        EXPECT_FALSE(parse_entry_id(wrong)) << wrong;
}

TEST(Partition, EntriesHoldWholePromisesOrNone) {
    const std::vector<promise> two{numbered(1), numbered(2)};
    const std::string bytes = encode_entry(two);
    EXPECT_EQ(decode_entry(bytes), two);
    EXPECT_FALSE(decode_entry(""));
    EXPECT_FALSE(decode_entry(std::string_view(bytes).substr(1)));
    std::string other_version = bytes;
    other_version[promise_bytes] = '\x7f';
    EXPECT_FALSE(decode_entry(other_version));
}

}  // namespace
}  // namespace floodgate::sale
