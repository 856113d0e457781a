#include "guard/unknown_tokens.hpp"

#include <gtest/gtest.h>

#include <string>

#include "guard/tokens.hpp"

namespace floodgate::guard {
namespace {

constexpr instant noon{milliseconds(1'800'000'000'000)};
using std::chrono::seconds;

sale::token_hash token(int n) { return hash_of("token " + std::to_string(n)); }

TEST(UnknownTokens, AreRememberedForAWhile) {
    unknown_tokens unknown;
    EXPECT_FALSE(unknown.contains(token(1), noon));
    unknown.add(token(1), noon);
    EXPECT_TRUE(unknown.contains(token(1), noon));
    EXPECT_FALSE(unknown.contains(token(2), noon));
    EXPECT_TRUE(unknown.contains(token(1), noon + seconds(14)));
    EXPECT_FALSE(unknown.contains(token(1), noon + seconds(30)));
    unknown.add(token(2), noon + seconds(30));
    EXPECT_TRUE(unknown.contains(token(2), noon + seconds(59)));
    EXPECT_FALSE(unknown.contains(token(2), noon + seconds(60)));
}

TEST(UnknownTokens, AreForgottenInTimeHoweverOftenOthersCome) {
    unknown_tokens unknown;
    unknown.add(token(0), noon);
    for (int s = 1; s <= 30; ++s) unknown.add(token(s), noon + seconds(s));
    EXPECT_FALSE(unknown.contains(token(0), noon + seconds(30)));
    EXPECT_TRUE(unknown.contains(token(29), noon + seconds(30)));
}

TEST(UnknownTokens, StayWithinTheirLimitAndKeepTheNewest) {
    unknown_tokens unknown({.max = 100});
    for (int n = 0; n < 1000; ++n) unknown.add(token(n), noon);
    int kept = 0;
    for (int n = 0; n < 1000; ++n) kept += unknown.contains(token(n), noon) ? 1 : 0;
    EXPECT_LE(kept, 100);
    EXPECT_GE(kept, 50);
    EXPECT_TRUE(unknown.contains(token(999), noon));
    EXPECT_FALSE(unknown.contains(token(0), noon));
}

TEST(UnknownTokens, AreForgottenWhenTheClockIsSetBack) {
    unknown_tokens unknown;
    unknown.add(token(1), noon);
    EXPECT_FALSE(unknown.contains(token(1), noon - seconds(1)));
    unknown.add(token(1), noon - seconds(1));
    EXPECT_TRUE(unknown.contains(token(1), noon));
}

}  // namespace
}  // namespace floodgate::guard
