#include "api/rounds_cursor.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace floodgate::api {
namespace {

constexpr auto most = std::numeric_limits<std::int64_t>::max();
constexpr auto least = std::numeric_limits<std::int64_t>::min();

TEST(RoundsCursor, ComesBackAsItWasGiven) {
    for (const rounds_cursor& c :
         {rounds_cursor{1'794'736'800'000, 2, 17}, rounds_cursor{0, 1, 0},
          rounds_cursor{most, most, most}, rounds_cursor{least, 1, 0}, rounds_cursor{-1, 3, 4}})
        EXPECT_EQ(parse_rounds_cursor(to_text(c)), c) << to_text(c);
}

TEST(RoundsCursor, HasOneSpelling) {
    for (const char* text : {"",
                             ".",
                             "..",
                             "1",
                             "1.2",
                             "1.2.",
                             "1.2.3.",
                             "1.2.3.4",
                             "01.2.3",
                             "1.02.3",
                             "1.2.03",
                             "+1.2.3",
                             " 1.2.3",
                             "1.2.3 ",
                             "1,2,3",
                             "1.2.x",
                             "1.2.3x",
                             "a.b.c",
                             "-0.2.3",
                             "1.0.3",
                             "1.-2.3",
                             "1.2.-3",
                             "1..3",
                             "1.2.9223372036854775808",
                             "99999999999999999999.1.1",
                             "0x1.2.3",
                             "1e3.2.3",
                             "1.2.3%00",
                             "1.2.3\n"})
        EXPECT_EQ(parse_rounds_cursor(text), std::nullopt) << text;
    EXPECT_EQ(parse_rounds_cursor(std::string(1'000'000, '1')), std::nullopt);
}

TEST(RoundsCursor, FollowsTheOrderOfTheList) {
    EXPECT_LT((rounds_cursor{1, 9, 9}), (rounds_cursor{2, 1, 1}));
    EXPECT_LT((rounds_cursor{1, 1, 9}), (rounds_cursor{1, 2, 1}));
    EXPECT_LT((rounds_cursor{1, 1, 1}), (rounds_cursor{1, 1, 2}));
}

// A small fuzzer, because the one under tests/fuzz is not built everywhere.
TEST(RoundsCursor, OutlivesAnyText) {
    std::mt19937 random(7);
    constexpr std::string_view letters =
        "0123456789..-+ x\0%"
        "9";
    for (int i = 0; i < 20'000; ++i) {
        std::string text(random() % 24, ' ');
        for (char& c : text) c = letters[random() % letters.size()];
        if (const auto found = parse_rounds_cursor(text)) {
            EXPECT_EQ(to_text(*found), text);
        }
    }
}

}  // namespace
}  // namespace floodgate::api
