#include "http/upgrade.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace floodgate::http {
namespace {

const std::vector<std::string> listed{"https://shop.example", "http://dev.example:5173"};

TEST(Origin, OfOurOwnPagesIsAllowedWhateverTheScheme) {
    EXPECT_TRUE(origin_allowed("http://a.example", "a.example", {}));
    EXPECT_TRUE(origin_allowed("https://a.example", "a.example", {}));
    EXPECT_TRUE(origin_allowed("HTTPS://A.example", "a.EXAMPLE", {}));
    EXPECT_TRUE(origin_allowed("http://127.0.0.1:8080", "127.0.0.1:8080", {}));
    EXPECT_TRUE(origin_allowed("http://[::1]:8080", "[::1]:8080", {}));
    EXPECT_TRUE(origin_allowed("https://a.example", "a.example:443", {}));
    EXPECT_TRUE(origin_allowed("http://a.example:80", "a.example", {}));
}

TEST(Origin, OfOtherPagesIsNot) {
    for (const char* origin :
         {"http://b.example", "https://a.example.evil", "http://evil-a.example", "http://a.exampl",
          "http://a.example:81", "http://a.example:443", "https://a.example:80", "null", "",
          "http://", "a.example", "file://a.example", "http://a.example/", "http://x@a.example",
          "https://shop.example.evil"})
        EXPECT_FALSE(origin_allowed(origin, "a.example", listed)) << origin;
    EXPECT_FALSE(origin_allowed("http://", "", {}));
    EXPECT_FALSE(origin_allowed("http://:80", "", {}));
}

TEST(Origin, MayBeListed) {
    EXPECT_TRUE(origin_allowed("https://shop.example", "a.example", listed));
    EXPECT_TRUE(origin_allowed("https://SHOP.example", "a.example", listed));
    EXPECT_TRUE(origin_allowed("http://dev.example:5173", "a.example", listed));
    EXPECT_FALSE(origin_allowed("http://shop.example", "a.example", listed));
    EXPECT_FALSE(origin_allowed("http://dev.example", "a.example", listed));
}

TEST(Upgrade, TakesTheHostOfAWholeAddress) {
    const auto r =
        read_upgrade("GET http://b.example/api/v1/ws HTTP/1.1\r\nHost: a.example\r\n\r\n");
    ASSERT_TRUE(r);
    EXPECT_EQ(r->message[boost::beast::http::field::host], "b.example");
}

int status_for(const std::string& fields, const std::string& line = "GET /api/v1/ws HTTP/1.1") {
    const auto r = read_upgrade(line + "\r\nHost: a.example\r\n" + fields + "\r\n");
    if (!r) return 0;
    const auto refused = refuse_upgrade(*r, listed, api::language::en);
    return refused ? refused->status : 101;
}

const std::string version = "Sec-WebSocket-Version: 13\r\n";
const std::string key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
const std::string upgrade = "Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n";

TEST(Upgrade, IsTakenWhenAllIsThere) {
    EXPECT_EQ(status_for(upgrade + version + key), 101);
    EXPECT_EQ(status_for(upgrade + version + key + "Origin: http://a.example\r\n"), 101);
}

TEST(Upgrade, IsAskedForWhenItIsMissing) {
    EXPECT_EQ(status_for(""), 426);
    EXPECT_EQ(status_for(version + key), 426);
    EXPECT_EQ(status_for("Connection: Upgrade\r\nUpgrade: h2c\r\n" + version + key), 426);
    EXPECT_EQ(status_for("Upgrade: websocket\r\n" + version + key), 426);
    EXPECT_EQ(status_for(upgrade + key + "Sec-WebSocket-Version: 8\r\n"), 426);
    EXPECT_EQ(status_for(upgrade + version + key, "HEAD /api/v1/ws HTTP/1.1"), 426);
    EXPECT_EQ(status_for(upgrade + version + key, "GET /api/v1/ws HTTP/1.0"), 426);
    const auto plain = read_upgrade("GET /api/v1/ws HTTP/1.1\r\nHost: a\r\n\r\n");
    const auto refused = refuse_upgrade(*plain, {}, api::language::zh);
    EXPECT_NE(refused->headers.find("Upgrade: websocket\r\n"), std::string::npos);
    EXPECT_NE(refused->headers.find("Sec-WebSocket-Version: 13\r\n"), std::string::npos);
}

TEST(Upgrade, NeedsAKeyAndNoBody) {
    EXPECT_EQ(status_for(upgrade + version), 400);
    EXPECT_EQ(status_for(upgrade + version + key + key), 400);
    EXPECT_EQ(status_for(upgrade + version + "Sec-WebSocket-Key: short\r\n"), 400);
    EXPECT_EQ(status_for(upgrade + version + key + "Content-Length: 5\r\n"), 0);
    EXPECT_EQ(status_for(upgrade + version + key + "Transfer-Encoding: chunked\r\n"), 0);
}

TEST(Upgrade, IsRefusedToForeignPages) {
    EXPECT_EQ(status_for(upgrade + version + key + "Origin: http://evil.example\r\n"), 403);
    EXPECT_EQ(status_for(upgrade + version + key + "Origin: null\r\n"), 403);
    EXPECT_EQ(status_for(upgrade + version + key + "Origin:\r\n"), 403);
    EXPECT_EQ(status_for(upgrade + version + key +
                         "Origin: http://a.example\r\nOrigin: http://evil.example\r\n"),
              403);
}

}  // namespace
}  // namespace floodgate::http
