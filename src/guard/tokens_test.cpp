#include "guard/tokens.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/hex.hpp"

namespace floodgate::guard {
namespace {

TEST(Tokens, AreThirtyTwoCharactersThatNeedNoEscapingAnywhere) {
    for (int i = 0; i < 1000; ++i) {
        const std::string token = new_token();
        ASSERT_EQ(token.size(), token_characters);
        ASSERT_TRUE(std::ranges::all_of(token, [](char c) {
            return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                   c == '-' || c == '_';
        })) << token;
    }
}

TEST(Tokens, DoNotRepeat) {
    std::set<std::string> seen;
    for (int i = 0; i < 10'000; ++i) EXPECT_TRUE(seen.insert(new_token()).second);
}

TEST(Tokens, HashIsBlake2b256SoThatStoredLoginsSurviveANewVersion) {
    EXPECT_EQ(to_hex(hash_of("")),
              "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
    EXPECT_EQ(to_hex(hash_of("abc")),
              "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
}

TEST(Tokens, HashTakesAnyBytes) {
    using namespace std::string_view_literals;
    EXPECT_NE(hash_of("a\0b"sv), hash_of("a"sv));
    EXPECT_NE(hash_of(std::string(100'000, 'x')), hash_of(std::string(99'999, 'x')));
}

TEST(IdempotencyKeys, AreTheSameForTheSameBuyerAndValueOnly) {
    const auto key = key_of({7}, "a1");
    EXPECT_EQ(key, key_of({7}, "a1"));
    EXPECT_NE(key, key_of({8}, "a1"));
    EXPECT_NE(key, key_of({7}, "a2"));
    EXPECT_NE(key, key_of({7}, "a1 "));
}

TEST(IdempotencyKeys, AreNeverTheMarkForNoKey) {
    EXPECT_NE(key_of({0}, ""), sale::no_key);
    EXPECT_NE(key_of({1}, ""), sale::no_key);
}

TEST(IdempotencyKeys, StayTheSameForEverBecauseTheJournalKeepsThem) {
    EXPECT_EQ(to_hex(key_of({42}, "order-1")), "e1cce7d760b37e70cb21a441fb5678e9");
}

}  // namespace
}  // namespace floodgate::guard
