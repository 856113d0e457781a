#include "store/http/http_client.hpp"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <cstdlib>
#include <cstring>
#include <netinet/in.h>
#include <sys/un.h>

#include "store/http/tiny_http_server.hpp"

namespace floodgate::store {
namespace {

bool public_address(const std::string& text) {
    sockaddr_storage any{};
    sockaddr_in v4{};
    sockaddr_in6 v6{};
    if (::inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1) {
        v4.sin_family = AF_INET;
        std::memcpy(&any, &v4, sizeof v4);
    } else {
        EXPECT_EQ(::inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr), 1) << text;
        v6.sin6_family = AF_INET6;
        std::memcpy(&any, &v6, sizeof v6);
    }
    return is_public(reinterpret_cast<const sockaddr&>(any));
}

const http_limits at_home{.allow_private = true};

std::string error_of(const std::string& url) { return http_post(url, {}, "", at_home).error; }

TEST(PublicAddress, TableOfThoseThatAreNot) {
    for (const char* text : {"0.0.0.0",
                             "0.1.2.3",
                             "10.0.0.1",
                             "10.255.255.255",
                             "100.64.0.1",
                             "100.127.255.255",
                             "127.0.0.1",
                             "127.8.8.8",
                             "169.254.169.254",
                             "172.16.0.1",
                             "172.31.255.255",
                             "192.0.0.8",
                             "192.0.2.1",
                             "192.168.1.1",
                             "198.18.0.1",
                             "198.19.255.255",
                             "198.51.100.7",
                             "203.0.113.9",
                             "224.0.0.1",
                             "239.1.1.1",
                             "240.0.0.1",
                             "255.255.255.255",
                             "::",
                             "::1",
                             "::ffff:127.0.0.1",
                             "::ffff:8.8.8.8",
                             "64:ff9b::808:808",
                             "64:ff9b:1::1",
                             "fe80::1",
                             "fc00::1",
                             "fd12:3456::1",
                             "fec0::1",
                             "ff02::1",
                             "2001::1",
                             "2001:db8::1",
                             "2002:7f00:1::",
                             "3fff::1",
                             "100::1",
                             "::7f00:1"}) {
        EXPECT_FALSE(public_address(text)) << text;
    }
}

TEST(PublicAddress, TableOfThoseThatAre) {
    for (const char* text : {"1.1.1.1",
                             "8.8.8.8",
                             "9.255.255.255",
                             "11.0.0.1",
                             "100.63.255.255",
                             "100.128.0.1",
                             "126.255.255.255",
                             "128.0.0.1",
                             "169.253.0.1",
                             "172.15.255.255",
                             "172.32.0.1",
                             "192.167.0.1",
                             "192.169.0.1",
                             "198.17.0.1",
                             "198.20.0.1",
                             "223.255.255.255",
                             "2001:4860:4860::8888",
                             "2606:4700::1111",
                             "2a00::1",
                             "3ffe::1"}) {
        EXPECT_TRUE(public_address(text)) << text;
    }
}

TEST(PublicAddress, OtherFamiliesAreNot) {
    sockaddr_un local{};
    local.sun_family = AF_UNIX;
    EXPECT_FALSE(is_public(reinterpret_cast<const sockaddr&>(local)));
}

TEST(HttpClient, SendsHeadersAndBodyAndGivesTheStatus) {
    tiny_http_server server({tiny_http_server::answer(204)});
    const auto got = http_post(server.url(), {"Content-Type: text/plain"}, "hello", at_home);
    EXPECT_EQ(got.status, 204);
    EXPECT_EQ(got.error, "");
    const auto asked = server.requests();
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_TRUE(asked[0].head.starts_with("POST /hook HTTP/1.1\r\n"));
    EXPECT_EQ(asked[0].header("Content-Type"), "text/plain");
    EXPECT_EQ(asked[0].body, "hello");
}

TEST(HttpClient, RefusesAPrivateAddressAlsoBehindAName) {
    tiny_http_server server({tiny_http_server::answer(200)});
    const std::string port = server.url().substr(std::strlen("http://127.0.0.1"));
    for (const char* host : {"127.0.0.1", "localhost", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]"}) {
        const auto got = http_post(std::string("http://") + host + port, {}, "", {});
        EXPECT_EQ(got.status, 0) << host;
        EXPECT_EQ(got.error, "the address resolves to a private address") << host;
    }
    EXPECT_TRUE(server.requests().empty());
}

TEST(HttpClient, DoesNotFollowARedirect) {
    tiny_http_server elsewhere({tiny_http_server::answer(200)});
    tiny_http_server server(
        {tiny_http_server::answer(302, "Location: " + elsewhere.url() + "\r\n")});
    EXPECT_EQ(http_post(server.url(), {}, "x", at_home).status, 302);
    EXPECT_TRUE(elsewhere.requests().empty());
}

TEST(HttpClient, GivesUpWhenTheAnswerDoesNotCome) {
    tiny_http_server server({tiny_http_server::silence});
    const auto got =
        http_post(server.url(), {}, "x", {.total = milliseconds(50), .allow_private = true});
    EXPECT_EQ(got.status, 0);
    EXPECT_NE(got.error.find("Timeout"), std::string::npos) << got.error;
}

TEST(HttpClient, GivesUpWhenItIsTold) {
    tiny_http_server server({tiny_http_server::silence});
    http_limits limits = at_home;
    limits.give_up = [] { return true; };
    EXPECT_EQ(http_post(server.url(), {}, "x", limits).status, 0);
}

TEST(HttpClient, ReadsNoMoreOfALongAnswerThanItMust) {
    tiny_http_server server({tiny_http_server::answer(200, "", std::string(1U << 20U, 'x'))});
    const auto got = http_post(server.url(), {}, "x", at_home);
    EXPECT_EQ(got.status, 200);
    EXPECT_EQ(got.error, "");
}

TEST(HttpClient, TakesNoProxyFromTheEnvironment) {
    tiny_http_server proxy({tiny_http_server::answer(200)});
    tiny_http_server server({tiny_http_server::answer(201)});
    ::setenv("http_proxy", proxy.url("").c_str(), 1);
    EXPECT_EQ(http_post(server.url(), {}, "x", at_home).status, 201);
    ::unsetenv("http_proxy");
    EXPECT_TRUE(proxy.requests().empty());
}

TEST(HttpClient, RefusesAddressesItMustNotUseWithoutRepeatingThem) {
    EXPECT_EQ(error_of("http://me:hush@example.com/"), "the address holds a user name or password");
    EXPECT_EQ(error_of("ftp://example.com/hush"), "the address is not an http or https address");
    EXPECT_EQ(error_of("file:///etc/passwd"), "the address is not an http or https address");
    EXPECT_EQ(error_of("hush"), "the address is not an absolute http or https address");
    EXPECT_EQ(error_of(""), "the address is not an absolute http or https address");
    EXPECT_EQ(fault_of_url("https://example.com/hook?a=b"), "");
}

TEST(HttpClient, SaysWhenNobodyListens) {
    std::string url;
    {
        const tiny_http_server gone({tiny_http_server::answer(200)});
        url = gone.url("/hush");
    }
    const auto got = http_post(url, {}, "x", at_home);
    EXPECT_EQ(got.status, 0);
    EXPECT_FALSE(got.error.empty());
    EXPECT_EQ(got.error.find("hush"), std::string::npos);
}

}  // namespace
}  // namespace floodgate::store
