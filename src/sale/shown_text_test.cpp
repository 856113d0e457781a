#include "sale/shown_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace floodgate::sale {
namespace {

using namespace std::string_literals;

TEST(ShownName, IsTextInAnyLanguage) {
    for (const char* good :
         {"Kettle", "电水壶 1.7 L", "Ünïcödé", "🛒 first!", "<b>", "O'Neill", "한국어", "עברית",
          "a\xc2\xa0"
          "b"})
        EXPECT_EQ(fault_in_name(good), text_fault::none) << good;
}

TEST(ShownName, HidesNothing) {
    for (const auto& bad : {"a\nb"s,     "a\tb"s,     "a\0b"s,          "\x1b[31m"s, "\x7f"s,
                            "\xc2\x85"s, "\xc2\xad"s, "a\u200bb"s,      "\u200d"s,   "a\u200e"s,
                            "a\u2028b"s, "a\u2029b"s, "\u202egnp.exe"s, "a\u2060b"s, "\u2066a"s,
                            "\u2069"s,   "\ufeffa"s,  "\u3164"s,        "\u061c"s,   "\U000e0041"s})
        EXPECT_EQ(fault_in_name(bad), text_fault::hidden) << bad;
}

// Regression L12: names that cannot be seen.
TEST(ShownName, HasSomethingToBeSeen) {
    for (const char* bad :
         {"", " ", "\u3000", "\u00a0", "\u2003\u2003", "\ufe0f", " \u00a0\u3000\ufe0f", "\u1680",
          "\u202f", "\u205f", "\u034f", "\u180b", "\U000e0100", "\U0001d159"})
        EXPECT_EQ(fault_in_name(bad), text_fault::blank) << bad;
    for (const char* good : {"\u3000小明\u3000", "☕\ufe0f", "a\u2003b", "."})
        EXPECT_EQ(fault_in_name(good), text_fault::none) << good;
    EXPECT_EQ(fault_in_name("\u3000\u200b"), text_fault::hidden) << "comes before blank";
}

TEST(ShownName, IsValidUtf8) {
    for (const auto& bad : {"\x80"s, "\xc3"s, "\xc0\xaf"s, "\xed\xa0\x80"s, "\xff"s, "\n\xff"s})
        EXPECT_EQ(fault_in_name(bad), text_fault::not_utf8) << bad;
}

TEST(Nickname, DoesNotPretendToBeTheShop) {
    for (const char* bad : {"Operator", "admin", "ADMIN", "Admin 1", "a.d.m.i.n", "_root_",
                            "System", "ｏｐｅｒａｔｏｒ", "客服", "官方客服小王", "管理员",
                            "管 理 员", "Support!", "floodgate", "工作人员007"})
        EXPECT_TRUE(is_reserved_nickname(bad)) << bad;
    for (const char* good : {"Badminton", "小明", "Li", "Administer", "Rooted", "系统工程师小王",
                             "operator of cranes", "客人", "", "\xff"})
        EXPECT_FALSE(is_reserved_nickname(good)) << good;
}

TEST(PictureAddress, IsOnTheWebOrOnOurOwnSite) {
    for (const char* good : {"https://cdn.example/a.jpg", "http://cdn.example/a.jpg?w=2",
                             "/pictures/kettle.jpg", "/a", "/图/壶.jpg"})
        EXPECT_TRUE(is_picture_address(good)) << good;
    for (const char* bad :
         {"javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,<b>", "data:image/png,x",
          "//evil.example/a.jpg", "/\\evil.example/a.jpg", "https:/a", "https://", "ftp://a/b",
          "a.jpg", "", " https://a/b", "java\nscript:x", "https://a/b c",
          "https://a/\"onerror=", "vbscript:x", "blob:https://a/b"})
        EXPECT_FALSE(is_picture_address(bad)) << bad;
}

}  // namespace
}  // namespace floodgate::sale
