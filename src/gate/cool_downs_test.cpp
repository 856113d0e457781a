#include "gate/cool_downs.hpp"

#include <gtest/gtest.h>

namespace floodgate::gate {
namespace {

const instant noon = from_ms(1'800'000'000'000);

instant after(int ms) { return noon + milliseconds(ms); }

TEST(CoolDowns, SayUntilWhenABuyerHasToWait) {
    cool_downs all;
    EXPECT_EQ(all.until({1}), instant{});
    all.begin({{1}, after(100)});
    EXPECT_EQ(all.until({1}), after(100));
    EXPECT_EQ(all.until({2}), instant{});
}

TEST(CoolDowns, KeepTheLaterOfTwo) {
    cool_downs all;
    all.begin({{1}, after(100)});
    all.begin({{1}, after(50)});
    EXPECT_EQ(all.until({1}), after(100));
    all.begin({{1}, after(200)});
    EXPECT_EQ(all.until({1}), after(200));
    all.sweep(after(150));
    EXPECT_EQ(all.until({1}), after(200)) << "the earlier one is over, the later one is not";
}

TEST(CoolDowns, AreForgottenWhenTheyAreOver) {
    cool_downs all;
    all.begin({{1}, after(100)});
    all.begin({{2}, after(200)});
    all.sweep(after(99));
    EXPECT_EQ(all.size(), 2U);
    all.sweep(after(100));
    EXPECT_EQ(all.size(), 1U);
    all.sweep(after(200));
    EXPECT_EQ(all.size(), 0U);
}

// A million orders that time out in one moment must not stop the gate, and not stay for ever.
TEST(CoolDowns, AreSweptOutAFewAtATime) {
    constexpr std::int64_t crowd = 1000;
    cool_downs all;
    for (std::int64_t b = 1; b <= crowd; ++b) all.begin({{b}, after(100)});
    all.sweep(after(100));
    EXPECT_GT(all.size(), crowd - 100U);
    const std::size_t before = all.bytes();
    for (int i = 0; i < crowd; ++i) all.sweep(after(100));
    EXPECT_EQ(all.size(), 0U);
    EXPECT_LT(all.bytes(), before);
}

TEST(CoolDowns, OfManyBuyersOneAfterTheOtherTakeNoMoreThanThoseThatLast) {
    cool_downs all;
    for (std::int64_t b = 1; b <= 10'000; ++b) {
        const instant now = after(static_cast<int>(b));
        all.sweep(now);
        all.begin({{b}, now + milliseconds(50)});
        ASSERT_LE(all.size(), 51U);
    }
}

}  // namespace
}  // namespace floodgate::gate
