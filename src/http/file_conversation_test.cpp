// Files are the only bodies that may be longer than edge.body_bytes_max.

#include <gtest/gtest.h>

#include <cstring>

#include "http/conversation.hpp"

namespace floodgate::http {
namespace {

class FileConversationTest : public testing::Test {
protected:
    using step = conversation::step;

    static std::string head(const std::string& framing, const std::string& method = "POST") {
        return method + " /api/v1/admin/payments/bills?channel=alipay HTTP/1.1\r\nHost: x\r\n" +
               framing + "\r\n\r\n";
    }
    step say(std::string_view text) {
        step now = step::need_more;
        while (!text.empty()) {
            const auto to = talk_.room();
            const std::size_t n = std::min(text.size(), to.size());
            std::memcpy(to.data(), text.data(), n);
            talk_.received(n);
            text.remove_prefix(n);
            now = talk_.next();
        }
        return now;
    }

    http_limits limits_{.head_bytes_max = 1024, .target_bytes_max = 200, .body_bytes_max = 100};
    conversation talk_{limits_};
};

TEST_F(FileConversationTest, AFileMayBeLong) {
    const std::string file(10'000, 'a');
    ASSERT_EQ(say(head("Content-Length: 10000") + file), step::request_ready);
    EXPECT_EQ(talk_.current().body, file);
    talk_.finish();
    ASSERT_EQ(say(head("Transfer-Encoding: chunked") + "2710\r\n" + file + "\r\n0\r\n\r\n"),
              step::request_ready);
    EXPECT_EQ(talk_.current().body, file);
}

TEST_F(FileConversationTest, ItsLimitIsReachedAndNamed) {
    EXPECT_EQ(say(head("Content-Length: 67108864")), step::need_more);
    talk_.finish();
    EXPECT_EQ(say(head("Content-Length: 67108865")), step::refused);
    EXPECT_EQ(talk_.why(), api::problem::payload_too_large);
    EXPECT_EQ(talk_.detail(), "the body may have 67108864 bytes");
}

TEST_F(FileConversationTest, AChunkBeyondItsLimitIsRefused) {
    EXPECT_EQ(say(head("Transfer-Encoding: chunked") + "4000001\r\n"), step::refused);
    EXPECT_EQ(talk_.why(), api::problem::payload_too_large);
}

TEST_F(FileConversationTest, WhatIsNotPostedHasTheUsualLimit) {
    EXPECT_EQ(say(head("Content-Length: 101", "PUT")), step::refused);
    EXPECT_EQ(talk_.detail(), "the body may have 100 bytes");
}

}  // namespace
}  // namespace floodgate::http
