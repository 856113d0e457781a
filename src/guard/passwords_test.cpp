#include "guard/passwords.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace floodgate::guard {
namespace {

using namespace std::string_view_literals;

TEST(Passwords, VerifyTheRightOneOnly) {
    const passwords p(cheapest);
    const std::string hash = p.hash("correct horse");
    EXPECT_TRUE(p.verify(hash, "correct horse"));
    EXPECT_FALSE(p.verify(hash, "correct horsf"));
    EXPECT_FALSE(p.verify(hash, "correct hors"));
    EXPECT_FALSE(p.verify(hash, ""));
}

TEST(Passwords, AreHashedWithArgon2idAndASaltOfTheirOwn) {
    const passwords p(cheapest);
    EXPECT_EQ(p.hash("same").rfind("$argon2id$", 0), 0U);
    EXPECT_NE(p.hash("same"), p.hash("same"));
}

TEST(Passwords, MayHoldAnyBytes) {
    const passwords p(cheapest);
    const std::string hash = p.hash("half\0hidden"sv);
    EXPECT_TRUE(p.verify(hash, "half\0hidden"sv));
    EXPECT_FALSE(p.verify(hash, "half"));
}

TEST(Passwords, AreNotVerifiedByATextThatIsNoHash) {
    const passwords p(cheapest);
    for (const char* text : {"", "x", "$argon2id$", "$argon2id$v=19$m=8,t=1,p=1$$", "$2b$12$abc"})
        EXPECT_FALSE(p.verify(text, "")) << text;
    EXPECT_FALSE(p.verify(std::string(10'000, '$'), "x"));
}

TEST(Passwords, SpendingIsNeverASuccess) {
    const passwords p(cheapest);
    EXPECT_FALSE(p.spend("whatever"));
    EXPECT_FALSE(p.spend(""));
}

TEST(Passwords, AreHashedAgainWhenTheCostHasChanged) {
    const passwords before(cheapest);
    const passwords after({2, 16384});
    const std::string hash = before.hash("correct horse");
    EXPECT_FALSE(before.needs_rehash(hash));
    EXPECT_TRUE(after.needs_rehash(hash));
    EXPECT_TRUE(after.verify(hash, "correct horse")) << "the old hash is good until then";
    EXPECT_FALSE(after.needs_rehash(after.hash("correct horse")));
    EXPECT_TRUE(after.needs_rehash("not a hash"));
}

TEST(Passwords, RefuseACostThatIsTooLow) {
    EXPECT_THROW(passwords({0, 8192}), std::invalid_argument);
    EXPECT_THROW(passwords({1, 8191}), std::invalid_argument);
}

}  // namespace
}  // namespace floodgate::guard
