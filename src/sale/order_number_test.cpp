#include "sale/order_number.hpp"

#include <gtest/gtest.h>

#include <set>

namespace floodgate::sale {
namespace {

const instant noon = from_ms(1'800'000'000'000);

TEST(OrderNumbers, GrowWithTime) {
    order_numbers numbers(1);
    const order_no first = numbers.next(noon);
    const order_no second = numbers.next(noon);
    const order_no later = numbers.next(noon + milliseconds(5));
    EXPECT_LT(first, second);
    EXPECT_LT(second, later);
    EXPECT_EQ(issued_at(later), noon + milliseconds(5));
}

TEST(OrderNumbers, FitIntoASignedInteger) {
    order_numbers numbers(node_max);
    EXPECT_LT(numbers.next(from_ms(3'880'000'000'000)).value, 1ULL << 63U);
}

TEST(OrderNumbers, NeverRepeatWhenTheClockGoesBack) {
    order_numbers numbers(0);
    std::set<order_no> seen;
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(seen.insert(numbers.next(noon)).second);
    for (int i = 0; i < 1000; ++i)
        ASSERT_TRUE(seen.insert(numbers.next(noon - milliseconds(3600'000))).second);
    EXPECT_GE(issued_at(*seen.begin()), noon);
}

TEST(OrderNumbers, BorrowFromTheFutureWhenAMillisecondIsUsedUp) {
    order_numbers numbers(0);
    std::set<order_no> seen;
    for (int i = 0; i < 10'000; ++i) ASSERT_TRUE(seen.insert(numbers.next(noon)).second);
    EXPECT_EQ(issued_at(*seen.rbegin()), noon + milliseconds(2));
}

TEST(OrderNumbers, AreNotRepeatedAfterARestartWithAnEarlierClock) {
    order_numbers before(5);
    order_no last{};
    for (int i = 0; i < 5000; ++i) last = before.next(noon);

    order_numbers after(5);
    after.skip_past(last);
    EXPECT_LT(last, after.next(noon - milliseconds(60'000)));
}

TEST(OrderNumbers, DifferBetweenNodesInTheSameMillisecond) {
    order_numbers one(1);
    order_numbers two(2);
    std::set<order_no> seen;
    for (int i = 0; i < 4096; ++i) {
        ASSERT_TRUE(seen.insert(one.next(noon)).second);
        ASSERT_TRUE(seen.insert(two.next(noon)).second);
    }
}

TEST(ParseOrderNo, TakesWhatWasPrinted) {
    order_numbers numbers(7);
    const order_no no = numbers.next(noon);
    EXPECT_EQ(parse_order_no(to_text(no)), no);
}

TEST(ParseOrderNo, RefusesEverythingElse) {
    for (const char* text : {"", "0", "-1", "+1", "01", " 1", "1 ", "1x", "0x10", "1e3",
                             "9223372036854775808", "99999999999999999999999"}) {
        EXPECT_FALSE(parse_order_no(text)) << text;
    }
}

}  // namespace
}  // namespace floodgate::sale
