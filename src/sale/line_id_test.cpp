#include "sale/line_id.hpp"

#include <gtest/gtest.h>

#include <set>

namespace floodgate::sale {
namespace {

TEST(LineId, KeepsTheNumbersThatLedgersHave) {
    EXPECT_EQ(journal_line.value, 1);
    EXPECT_EQ(line_of({0}).value, 1000);
    EXPECT_EQ(line_of({7}).value, 1007);
    EXPECT_EQ(strays_line_of({0}).value, 2000);
    EXPECT_EQ(strays_line_of({7}).value, 2007);
}

TEST(LineId, IsDifferentForEveryLine) {
    std::set<line_id> all{journal_line};
    for (std::uint32_t p = 0; p < partitions_max; ++p) {
        EXPECT_TRUE(all.insert(line_of({p})).second) << p;
        EXPECT_TRUE(all.insert(strays_line_of({p})).second) << p;
    }
}

}  // namespace
}  // namespace floodgate::sale
