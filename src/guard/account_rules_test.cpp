#include "guard/account_rules.hpp"

#include <gtest/gtest.h>

#include <string>

#include "sale/user.hpp"

namespace floodgate::guard {
namespace {

using namespace std::string_literals;
using enum account_fault;

TEST(Phone, IsDigitsWithAnOptionalPlus) {
    for (const char* good : {"13800138000", "+8613800138000", "12345", "12345678901234567890",
                             "+12345678901234567890"})
        EXPECT_EQ(fault_in_phone(good), std::nullopt) << good;
    for (const auto& bad : {"138-0013"s, "1380013800O"s, "++12345"s, "12345+"s, " 12345"s,
                            "12345\n"s, "12345\0"s, "１２３４５"s, "1' OR 1=1"s})
        EXPECT_EQ(fault_in_phone(bad), phone_characters) << bad;
}

TEST(Phone, HasALengthBetweenItsLimits) {
    for (const char* shorts : {"", "+", "1234", "+1234"})
        EXPECT_EQ(fault_in_phone(shorts), phone_too_short) << shorts;
    EXPECT_EQ(fault_in_phone("123456789012345678901"), phone_too_long);
    EXPECT_EQ(fault_in_phone(std::string(1'000'000, '1')), phone_too_long);
}

std::optional<account_fault> fault_in_password(std::string_view password) {
    return guard::fault_in_password(password, "13800138000");
}

TEST(Password, IsAnyBytesBetweenItsLimits) {
    EXPECT_EQ(fault_in_password(""), password_too_short);
    EXPECT_EQ(fault_in_password("1x3y5z7"), password_too_short);
    EXPECT_EQ(fault_in_password("1x3y5z7w"), std::nullopt);
    EXPECT_EQ(fault_in_password("\0\xff\n 1234"s), std::nullopt);
    std::string longest;
    for (int i = 1; longest.size() < sale::password_bytes_max; ++i) longest += std::to_string(i);
    longest.resize(sale::password_bytes_max);
    EXPECT_EQ(fault_in_password(longest), std::nullopt);
    EXPECT_EQ(fault_in_password(longest + "x"), password_too_long);
}

// Regression L3: three characters of three bytes each were taken for nine.
TEST(Password, IsCountedInCharacters) {
    EXPECT_EQ(fault_in_password("密码密"), password_too_short);
    EXPECT_EQ(fault_in_password("密码密码密码密"), password_too_short);
    EXPECT_EQ(fault_in_password("我家的狗爱吃西瓜"), std::nullopt);
    EXPECT_EQ(fault_in_password("🛒🛒🛒🛒🛒🛒🛒"), password_too_short);
    EXPECT_EQ(fault_in_password("a b c d "), std::nullopt) << "blanks count";
}

TEST(Password, IsNotThePhoneNumberHoweverItIsTyped) {
    for (const char* same : {"13800138000", "138 0013 8000", "138-0013-8000", "+13800138000"})
        EXPECT_EQ(fault_in_password(same), password_is_phone) << same;
    EXPECT_EQ(fault_in_password("13800138001"), std::nullopt);
    EXPECT_EQ(guard::fault_in_password("13800138000", ""), std::nullopt) << "no phone to compare";
}

TEST(Password, IsNotAmongTheFirstThatAGuesserTries) {
    for (const char* common :
         {"12345678",  "123456789",  "1234567890", "87654321",  "11111111",    "aaaaaaaa",
          "abcdefgh",  "qwertyuiop", "password",   "Password1", "PASSWORD123", "password!",
          "p@ssw0rd",  "qwerty123",  "iloveyou",   "1qaz2wsx",  "woaini1314",  "5201314520",
          "admin123",  "welcome1",   "12341234",   "abc12345",  "a1234567",    "88888888",
          "floodgate", "letmein123"})
        EXPECT_EQ(fault_in_password(common), password_common) << common;
    // Regression L3: the table had seventy words.
    for (const char* common :
         {"butterfly1234567", "chocolate",   "elizabeth",  "butterfly",  "alexander",  "liverpool1",
          "Jennifer",         "anna1990",    "1990anna",   "!dragon88",  "michelle!",  "$unshine",
          "p@ssw0rd1",        "hellohello",  "ilovejesus", "woaibaobao", "starwars77", "19900131",
          "31121999",         "12311999",    "q1w2e3r4",   "a1b2c3d4",   "qweasdzxc",  "!@#$%^&*",
          "zaq12wsx",         "Summer2024!", "december12", "zhangwei8",  "1234qwer",   "qwer1234"})
        EXPECT_EQ(fault_in_password(common), password_common) << common;
    for (const char* fine :
         {"correct horse", "demo-buyer", "demo-admin", "wrong horse", "password of my aunt",
          "13579acegik", "Tr0ub4dor&3", "chocolate-elizabeth", "99999999123", "19901331"})
        EXPECT_EQ(fault_in_password(fine), std::nullopt) << fine;
}

TEST(Password, MayHaveAnyCharacters) {
    for (const auto& fine : {"tab\there too"s, "line\nbreak"s, "\t\n\r\x1b\x7f 12x"s})
        EXPECT_EQ(fault_in_password(fine), std::nullopt) << fine;
}

TEST(Nickname, IsTextInAnyLanguage) {
    for (const char* good : {"a", "小明", "Ünïcödé", "🛒 first!", "<b>", "O'Neill", "a b"})
        EXPECT_EQ(fault_in_nickname(good), std::nullopt) << good;
    EXPECT_EQ(fault_in_nickname(std::string(sale::nickname_bytes_max, 'x')), std::nullopt);
    EXPECT_EQ(fault_in_nickname(std::string(sale::nickname_bytes_max + 1, 'x')), nickname_too_long);
    EXPECT_EQ(fault_in_nickname(""), nickname_empty);
    for (const char* unseen : {" ", "\u3000", "\u00a0", "\ufe0f"})
        EXPECT_EQ(fault_in_nickname(unseen), nickname_empty) << unseen;
}

TEST(Nickname, IsValidUtf8) {
    for (const auto& bad : {"\x80"s, "\xc3"s, "\xc0\xaf"s, "\xe0\x80\xaf"s, "\xed\xa0\x80"s,
                            "\xf4\x90\x80\x80"s, "\xff"s, "ok\xe5\xb0"s, "\xf0\x9f\x9b"s})
        EXPECT_EQ(fault_in_nickname(bad), nickname_not_utf8) << bad;
    EXPECT_EQ(fault_in_nickname("\n\xff"s), nickname_not_utf8) << "comes before nickname_control";
}

TEST(Nickname, HasNothingThatMovesTheCursor) {
    for (const auto& bad : {"a\nb"s, "a\0b"s, "\x7f"s, "\xc2\x85"s, "\xe2\x80\xa8"s,
                            "\xe2\x80\xae"s, "\xe2\x81\xa6"s, "\t"s, "\x1b[31m"s, "a\u200bb"s})
        EXPECT_EQ(fault_in_nickname(bad), nickname_control) << bad;
}

TEST(Nickname, IsNotTheNameOfTheShopsStaff) {
    EXPECT_EQ(fault_in_nickname("Operator"), nickname_reserved);
    EXPECT_EQ(fault_in_nickname("官方客服"), nickname_reserved);
}

TEST(AccountFault, EveryOneHasAWord) {
    for (int i = 1; i <= 12; ++i) EXPECT_STRNE(to_text(account_fault(i)), "unknown") << i;
}

}  // namespace
}  // namespace floodgate::guard
