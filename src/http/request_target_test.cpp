#include "http/request_target.hpp"

#include <gtest/gtest.h>

namespace floodgate::http {
namespace {

TEST(RequestTarget, IsAPathAndAQuery) {
    const auto plain = split_target("/a/b?c=d?e");
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->authority, "");
    EXPECT_EQ(plain->path, "/a/b");
    EXPECT_EQ(plain->query, "c=d?e");
    EXPECT_EQ(split_target("/")->path, "/");
    EXPECT_EQ(split_target("//x/a")->path, "//x/a") << "a path, not a host";
}

TEST(RequestTarget, MayBeAWholeAddress) {
    const auto whole = split_target("HTTP://shop.example:8080/a?b=http://c/");
    ASSERT_TRUE(whole);
    EXPECT_EQ(whole->authority, "shop.example:8080");
    EXPECT_EQ(whole->path, "/a");
    EXPECT_EQ(whole->query, "b=http://c/");
    EXPECT_EQ(split_target("https://[::1]:8443/a")->authority, "[::1]:8443");
}

TEST(RequestTarget, OfAnAddressWithoutAPathIsTheRoot) {
    EXPECT_EQ(split_target("http://a")->path, "");
    EXPECT_EQ(split_target("http://a?b")->path, "");
    EXPECT_EQ(split_target("http://a?b")->query, "b");
}

TEST(RequestTarget, IsNothingElse) {
    for (const char* text :
         {"", "*", "a", "a:80", "ftp://a/", "http:/a", "http:///a", "http://?b", "http://u@a/",
          "http://u:p@a/", "http://a b/", "http://a%2f/", "http://a\\b/", "httpx://a/", "ws://a/"})
        EXPECT_FALSE(split_target(text)) << text;
}

}  // namespace
}  // namespace floodgate::http
