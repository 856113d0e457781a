#include "pay/yuan.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace floodgate::pay {
namespace {

using sale::fen;

constexpr fen most{std::numeric_limits<std::int64_t>::max()};

TEST(Yuan, IsWrittenWithTwoDecimals) {
    EXPECT_EQ(to_yuan(fen{0}), "0.00");
    EXPECT_EQ(to_yuan(fen{1}), "0.01");
    EXPECT_EQ(to_yuan(fen{10}), "0.10");
    EXPECT_EQ(to_yuan(fen{9900}), "99.00");
    EXPECT_EQ(to_yuan(most), "92233720368547758.07");
}

TEST(Yuan, IsReadWithAndWithoutDecimals) {
    EXPECT_EQ(parse_yuan("99"), fen{9900});
    EXPECT_EQ(parse_yuan("99.0"), fen{9900});
    EXPECT_EQ(parse_yuan("99.00"), fen{9900});
    EXPECT_EQ(parse_yuan("0.1"), fen{10});
    EXPECT_EQ(parse_yuan("0.01"), fen{1});
    EXPECT_EQ(parse_yuan("100000000"), fen{10'000'000'000});
    EXPECT_EQ(parse_yuan("92233720368547758.07"), most);
}

TEST(Yuan, ComesBackAsItWent) {
    for (std::int64_t value = 1; value < 100'000'000'000; value = value * 7 + 3)
        EXPECT_EQ(parse_yuan(to_yuan(fen{value})), fen{value});
    for (std::int64_t value = 1; value <= 1000; ++value)
        EXPECT_EQ(parse_yuan(to_yuan(fen{value})), fen{value});
}

TEST(Yuan, IsReadInNoOtherForm) {
    for (const char* text :
         {"",      ".",     "+1",   "-1",    "-0.01",  "1e2",   "1E2",   "0x10",  " 1",
          "1 ",    "1 .00", "1. 0", "1.",    ".5",     "1.000", "0.001", "1.0.0", "1,00",
          "1,000", "007",   "00",   "00.01", "inf",    "nan",   "1.-1",  "1.+1",  "1\n",
          "\t1",   "1.0e",  "１",   "¥1.00", "1.00元", "--1",   "1.0 ",  "01.00"})
        EXPECT_FALSE(parse_yuan(text, zero_yuan::allowed)) << text;
    EXPECT_FALSE(parse_yuan(std::string_view("1\0", 2)));
}

TEST(Yuan, RefusesMoreThanFits) {
    EXPECT_FALSE(parse_yuan("92233720368547758.08"));
    EXPECT_FALSE(parse_yuan("92233720368547759"));
    EXPECT_FALSE(parse_yuan("92233720368547758070"));
    EXPECT_FALSE(parse_yuan(std::string(1000, '9')));
}

TEST(Yuan, RefusesZeroUnlessItIsAllowed) {
    for (const char* text : {"0", "0.0", "0.00"}) {
        EXPECT_FALSE(parse_yuan(text)) << text;
        EXPECT_EQ(parse_yuan(text, zero_yuan::allowed), fen{0}) << text;
    }
}

}  // namespace
}  // namespace floodgate::pay
