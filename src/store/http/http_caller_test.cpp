#include "store/http/http_caller.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "store/http/http_client.hpp"
#include "store/http/tiny_http_server.hpp"

namespace floodgate::store {
namespace {

const http_caller_options near_by{.allow_private = true};

http_answer ask_once(const std::string& url, http_caller_options options = near_by) {
    return curl_caller(options).ask({.url = url});
}

TEST(HttpCaller, AsksWithVerbHeadersAndBodyAndGivesTheWholeAnswer) {
    tiny_http_server server({tiny_http_server::answer(201, "X-Serial: abc \r\n", "hello\n")});
    curl_caller caller(near_by);
    const http_answer got = caller.ask({.verb = "POST",
                                        .url = server.url("/v3/a?b=c"),
                                        .headers = {{"Accept", "application/json"}, {"X-None", ""}},
                                        .body = std::string("a\0b", 3)});
    EXPECT_EQ(got.status, 201);
    EXPECT_EQ(got.error, "");
    EXPECT_EQ(got.body, "hello\n");
    EXPECT_EQ(got.header("x-serial"), "abc");
    EXPECT_EQ(got.header("x-other"), "");
    const auto asked = server.requests();
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_TRUE(asked[0].head.starts_with("POST /v3/a?b=c HTTP/1.1\r\n"));
    EXPECT_EQ(asked[0].header("Accept"), "application/json");
    EXPECT_NE(asked[0].head.find("X-None:"), std::string::npos);
    EXPECT_EQ(asked[0].head.find("Expect"), std::string::npos);
    EXPECT_EQ(asked[0].body, std::string("a\0b", 3));
}

TEST(HttpCaller, GetHasNoBodyAlsoAfterAPost) {
    tiny_http_server server({tiny_http_server::answer(200)});
    curl_caller caller(near_by);
    EXPECT_EQ(caller.ask({.verb = "POST", .url = server.url(), .body = "x"}).status, 200);
    EXPECT_EQ(caller.ask({.url = server.url()}).status, 200);
    const auto asked = server.requests();
    ASSERT_EQ(asked.size(), 2U);
    EXPECT_TRUE(asked[1].head.starts_with("GET /hook"));
    EXPECT_EQ(asked[1].header("Content-Length"), "");
}

TEST(HttpCaller, KeepsTheConnectionBetweenCalls) {
    tiny_http_server server({tiny_http_server::keep_open(200)});
    curl_caller caller(near_by);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(caller.ask({.url = server.url()}).status, 200);
    EXPECT_EQ(server.requests().size(), 3U);
    EXPECT_EQ(server.connections(), 1);
}

TEST(HttpCaller, AsksAgainOnANewConnectionWhenTheKeptOneIsDead) {
    const std::string says_kept = "HTTP/1.1 200 X\r\nContent-Length: 27\r\n\r\n";
    tiny_http_server server({says_kept + "but it is Connection: close"});
    curl_caller caller(near_by);
    EXPECT_EQ(caller.ask({.url = server.url()}).status, 200);
    EXPECT_EQ(caller.ask({.url = server.url()}).status, 200);
    EXPECT_EQ(server.connections(), 2);
}

TEST(HttpCaller, AnAnswerThatIsTooLongIsNoneAndNotACutOne) {
    tiny_http_server server({tiny_http_server::answer(200, "", std::string(1001, 'x')),
                             tiny_http_server::answer(200, "", std::string(1000, 'x'))});
    const http_caller_options short_ones{.answer_bytes_max = 1000, .allow_private = true};
    const http_answer got = ask_once(server.url(), short_ones);
    EXPECT_EQ(got.status, 0);
    EXPECT_EQ(got.error, "the answer is too long");
    EXPECT_EQ(got.body, "");
    EXPECT_EQ(ask_once(server.url(), short_ones).body.size(), 1000U);
}

TEST(HttpCaller, HeadersThatAreTooLongAreNoAnswer) {
    tiny_http_server server(
        {tiny_http_server::answer(200, "X-Long: " + std::string(500, 'x') + "\r\n")});
    const http_answer got =
        ask_once(server.url(), {.header_bytes_max = 400, .allow_private = true});
    EXPECT_EQ(got.status, 0);
    EXPECT_EQ(got.error, "the answer is too long");
    EXPECT_TRUE(got.headers.empty());
}

TEST(HttpCaller, ACutAnswerIsNone) {
    tiny_http_server server(
        {"HTTP/1.1 200 X\r\nConnection: close\r\nContent-Length: 10\r\n\r\nhello"});
    const http_answer got = ask_once(server.url());
    EXPECT_EQ(got.status, 0);
    EXPECT_NE(got.error, "");
    EXPECT_EQ(got.body, "");
}

TEST(HttpCaller, GivesUpWhenTheAnswerDoesNotCome) {
    tiny_http_server server({tiny_http_server::silence});
    const http_answer got =
        ask_once(server.url(), {.total = milliseconds(50), .allow_private = true});
    EXPECT_EQ(got.status, 0);
    EXPECT_NE(got.error.find("Timeout"), std::string::npos) << got.error;
}

TEST(HttpCaller, RefusesAPrivateAddress) {
    tiny_http_server server({tiny_http_server::answer(200)});
    const http_answer got = ask_once(server.url(), {});
    EXPECT_EQ(got.status, 0);
    EXPECT_EQ(got.error, "the address resolves to a private address");
    EXPECT_TRUE(server.requests().empty());
}

TEST(HttpCaller, DoesNotFollowARedirectAndTakesNoProxy) {
    tiny_http_server elsewhere({tiny_http_server::answer(200)});
    tiny_http_server server(
        {tiny_http_server::answer(302, "Location: " + elsewhere.url() + "\r\n")});
    ::setenv("http_proxy", elsewhere.url("").c_str(), 1);
    EXPECT_EQ(ask_once(server.url()).status, 302);
    ::unsetenv("http_proxy");
    EXPECT_TRUE(elsewhere.requests().empty());
}

TEST(HttpCaller, RefusesWhatItMustNotSend) {
    EXPECT_EQ(ask_once("ftp://example.com/").error, "the address is not an http or https address");
    EXPECT_EQ(ask_once("http://me:hush@example.com/").error,
              "the address holds a user name or password");
    const http_question split{
        .url = "http://127.0.0.1:1/", .headers = {{"X", "a\r\nHost: b"}}, .body = ""};
    EXPECT_EQ(curl_caller(near_by).ask(split).error, "a header is more than one line");
}

TEST(PrivateHost, TableOfHosts) {
    const auto is_private = [](const std::string& url) {
        return is_private_host(host_of_url(url));
    };
    for (const char* url :
         {"http://127.0.0.1:9000/gateway.do", "http://0x7f.1/", "http://2130706433/",
          "http://[::1]:80/", "http://[fd00::1]/", "http://10.1.2.3/", "http://192.168.0.9/",
          "https://LOCALHOST/", "http://localhost./", "http://a.localhost/", "http://sandbox:8080/",
          "http://pay.internal/", "http://pay.test/"})
        EXPECT_TRUE(is_private(url)) << url;
    for (const char* url : {"https://api.mch.weixin.qq.com", "https://8.8.8.8/",
                            "https://[2606:4700::1111]/", "https://local.example.com/", "", "hush"})
        EXPECT_FALSE(is_private(url)) << url;
}

}  // namespace
}  // namespace floodgate::store
