#include "http/cors.hpp"

#include <gtest/gtest.h>

namespace floodgate::http {
namespace {

TEST(Cors, IsOffWithoutOrigins) {
    const cors_policy off;
    EXPECT_FALSE(off.is_on());
    EXPECT_EQ(off.lines_for("https://shop.example"), "");
    EXPECT_EQ(off.lines_for(""), "");
}

TEST(Cors, LetsExactOriginsReadAndNoOthers) {
    const std::string origins[] = {"https://shop.example", "http://localhost:5173"};
    const cors_policy policy(origins);
    EXPECT_NE(policy.lines_for("https://shop.example")
                  .find("Access-Control-Allow-Origin: https://shop.example\r\n"),
              std::string_view::npos);
    for (const char* other :
         {"", "null", "*", "https://shop.example.evil.example", "http://shop.example",
          "https://shop.example:8443", "https://SHOP.example", "https://shop.example/"})
        EXPECT_EQ(policy.lines_for(other), "") << other;
    EXPECT_EQ(policy.lines_for("http://localhost:5173").find("Credentials"),
              std::string_view::npos);
}

TEST(Cors, RefusesOriginsThatAreNone) {
    for (const char* good : {"https://shop.example", "http://127.0.0.1:80", "http://[::1]:80"})
        EXPECT_EQ(fault_of_origin(good), "") << good;
    for (const char* bad : {"", "*", "https://*", "shop.example", "https://", "https://a/",
                            "https://a/b", "https://A", "https://a\r\nX: y", "null"})
        EXPECT_NE(fault_of_origin(bad), "") << bad;
}

}  // namespace
}  // namespace floodgate::http
