#include "http/slot_table.hpp"

#include <gtest/gtest.h>

namespace floodgate::http {
namespace {

TEST(SlotTable, FindsWhatWasAddedUntilItIsRemoved) {
    slot_table<int> table;
    const auto one = table.add(std::make_shared<int>(1));
    const auto two = table.add(std::make_shared<int>(2));
    EXPECT_EQ(*table.find(one), 1);
    EXPECT_EQ(*table.find(two), 2);
    EXPECT_EQ(table.size(), 2U);
    EXPECT_EQ(*table.remove(one), 1);
    EXPECT_FALSE(table.find(one));
    EXPECT_FALSE(table.remove(one));
    EXPECT_EQ(table.size(), 1U);
}

TEST(SlotTable, NeverGivesAnIdTwice) {
    slot_table<int> table;
    const auto old = table.add(std::make_shared<int>(1));
    table.remove(old);
    const auto fresh = table.add(std::make_shared<int>(2));
    EXPECT_NE(fresh, old);
    EXPECT_FALSE(table.find(old));
    EXPECT_EQ(*table.find(fresh), 2);
}

TEST(SlotTable, KnowsNoIdThatItNeverGave) {
    slot_table<int> table;
    EXPECT_FALSE(table.find(0));
    EXPECT_FALSE(table.find(7));
    table.add(std::make_shared<int>(1));
    EXPECT_FALSE(table.find(0));
    EXPECT_FALSE(table.find(std::uint64_t{9} << 32U));
}

TEST(SlotTable, MayBeChangedWhileItIsVisited) {
    slot_table<int> table;
    std::vector<std::uint64_t> ids;
    for (int i = 0; i < 3; ++i) ids.push_back(table.add(std::make_shared<int>(i)));
    std::vector<int> seen;
    table.for_each([&](int& thing) {
        seen.push_back(thing);
        for (const auto id : ids) table.remove(id);
        if (seen.size() == 1) table.add(std::make_shared<int>(7));
    });
    EXPECT_EQ(seen.front(), 0);
    EXPECT_EQ(table.size(), 1U);
}

}  // namespace
}  // namespace floodgate::http
