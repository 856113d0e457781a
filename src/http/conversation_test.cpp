#include "http/conversation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace floodgate::http {
namespace {

using step = conversation::step;

class ConversationTest : public testing::Test {
protected:
    // Gives the bytes in pieces of `piece`, and says what the conversation says after the last.
    step say(std::string_view text, std::size_t piece = 4096) {
        step now = step::need_more;
        while (!text.empty()) {
            const auto to = talk_.room();
            const std::size_t n = std::min({piece, text.size(), to.size()});
            std::memcpy(to.data(), text.data(), n);
            talk_.received(n);
            text.remove_prefix(n);
            now = talk_.next();
            if (now == step::refused) return now;
        }
        return now;
    }
    const request& got() { return talk_.current(); }

    http_limits limits_{.head_bytes_max = 1024, .target_bytes_max = 200, .body_bytes_max = 100};
    conversation talk_{limits_};
};

const std::string post = "POST /a HTTP/1.1\r\nHost: x\r\n";
const std::string purchase =
    "POST /api/v1/sales/7/orders?x=1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer secret\r\n"
    "Idempotency-Key: k1\r\nAccept-Language: zh-CN\r\nX-Forwarded-For: 1.2.3.4\r\n"
    "Content-Type: application/json\r\nContent-Length: 14\r\n\r\n{\"quantity\":2}";

// Regression M9: only the last line counted, which is that of the nearest of several proxies.
TEST_F(ConversationTest, ReadsSeveralLinesOfForwardedAddressesAsOneList) {
    const auto forwarded = [&](const std::string& lines) {
        EXPECT_EQ(say("GET / HTTP/1.1\r\nHost: a\r\n" + lines + "\r\n"), step::request_ready);
        const auto value = got().forwarded_for;
        const std::string text = value ? std::string(*value) : "none";
        talk_.finish();
        return text;
    };
    EXPECT_EQ(forwarded(""), "none");
    EXPECT_EQ(forwarded("X-Forwarded-For:\r\n"), "");
    EXPECT_EQ(forwarded("X-Forwarded-For:  \t\r\n"), "");
    EXPECT_EQ(forwarded("X-Forwarded-For: 1.2.3.4\r\n"), "1.2.3.4");
    EXPECT_EQ(forwarded("X-Forwarded-For: 1.2.3.4\r\nx-forwarded-for: 10.0.0.1, 10.0.0.2\r\n"
                        "X-FORWARDED-FOR: 10.0.0.3\r\n"),
              "1.2.3.4, 10.0.0.1, 10.0.0.2, 10.0.0.3");
    EXPECT_EQ(forwarded("X-Forwarded-For: 1.2.3.4\r\nX-Forwarded-For:\r\n"), "1.2.3.4, ");
}

TEST_F(ConversationTest, ReadsTheHeadersOfWeChatPayInAnyCase) {
    ASSERT_EQ(say(post + "Wechatpay-Timestamp: 17\r\nwechatpay-nonce: n+/=\r\n"
                         "WECHATPAY-SIGNATURE: c2ln\r\nWechatpay-Serial: AB\r\n"
                         "Wechatpay-Signature-Type: X\r\nWechatpay-: y\r\n\r\n",
                  7),
              step::request_ready);
    EXPECT_EQ(got().wechat.timestamp, "17");
    EXPECT_EQ(got().wechat.nonce, "n+/=");
    EXPECT_EQ(got().wechat.signature, "c2ln");
    EXPECT_EQ(got().wechat.serial, "AB");
    talk_.finish();
    ASSERT_EQ(say(post + "\r\n"), step::request_ready);
    EXPECT_EQ(got().wechat.signature, "") << "nothing is left of the request before";
}

TEST_F(ConversationTest, ReadsTheHeadersOfTheShopsOwnCheckout) {
    ASSERT_EQ(say(post + "floodgate-timestamp: 17\r\nFloodgate-Signature: v1=ab\r\n"
                         "Wechatpay-Serial: AB\r\nFloodgate-: y\r\nFloodgate: z\r\n\r\n",
                  7),
              step::request_ready);
    EXPECT_EQ(got().floodgate.timestamp, "17");
    EXPECT_EQ(got().floodgate.signature, "v1=ab");
    EXPECT_EQ(got().floodgate.serial, "") << "each channel has its own";
    EXPECT_EQ(got().wechat.signature, "");
}

TEST_F(ConversationTest, ReadsEveryFieldWeUse) {
    ASSERT_EQ(say(purchase), step::request_ready);
    EXPECT_EQ(got().verb, api::verb::post);
    EXPECT_EQ(got().path, "/api/v1/sales/7/orders");
    EXPECT_EQ(got().query, "x=1");
    EXPECT_EQ(got().token, "secret");
    EXPECT_EQ(got().idempotency_key, "k1");
    EXPECT_EQ(got().accept_language, "zh-CN");
    EXPECT_EQ(got().forwarded_for, "1.2.3.4");
    EXPECT_EQ(got().content_type, "application/json");
    EXPECT_EQ(got().body, "{\"quantity\":2}");
    EXPECT_TRUE(got().keep_alive);
}

TEST_F(ConversationTest, TellsAnEmptyIdempotencyKeyFromNone) {
    ASSERT_EQ(say("POST /a HTTP/1.1\r\nHost: x\r\n\r\n"), step::request_ready);
    EXPECT_EQ(got().idempotency_key, std::nullopt);
    talk_.finish();
    for (const char* value : {"", " ", "\t ", " \t\t"}) {
        ASSERT_EQ(say(std::string("POST /a HTTP/1.1\r\nIdempotency-Key:") + value +
                      "\r\nHost: x\r\n\r\n"),
                  step::request_ready);
        EXPECT_EQ(got().idempotency_key, "");
        talk_.finish();
    }
}

// With two keys it would be unclear which one counts.
TEST_F(ConversationTest, RefusesTwoIdempotencyKeys) {
    EXPECT_EQ(say("POST /a HTTP/1.1\r\nHost: x\r\nIdempotency-Key:\r\nIdempotency-Key: k\r\n\r\n"),
              step::refused);
    EXPECT_EQ(talk_.why(), api::problem::bad_request);
}

TEST_F(ConversationTest, ReadsTheSameWhateverTheSlicing) {
    for (std::size_t piece = 1; piece < purchase.size(); ++piece) {
        ASSERT_EQ(say(purchase, piece), step::request_ready) << piece;
        EXPECT_EQ(got().path, "/api/v1/sales/7/orders") << piece;
        EXPECT_EQ(got().token, "secret") << piece;
        EXPECT_EQ(got().body, "{\"quantity\":2}") << piece;
        talk_.finish();
        EXPECT_FALSE(talk_.in_the_middle());
    }
}

TEST_F(ConversationTest, HandsOutPipelinedRequestsOneAtATime) {
    const std::string one = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";
    const std::string two = "GET /b HTTP/1.1\r\nHost: x\r\n\r\n";
    ASSERT_EQ(say(one + two), step::request_ready);
    EXPECT_EQ(got().path, "/a");
    talk_.finish();
    ASSERT_EQ(talk_.next(), step::request_ready);
    EXPECT_EQ(got().path, "/b");
    talk_.finish();
    EXPECT_EQ(talk_.next(), step::need_more);
}

TEST_F(ConversationTest, TakesTheTokenFromEitherHeader) {
    ASSERT_EQ(say("GET /a HTTP/1.1\r\nHost: x\r\nToken: t1\r\n\r\n"), step::request_ready);
    EXPECT_EQ(got().token, "t1");
    talk_.finish();
    ASSERT_EQ(say("GET /a HTTP/1.1\r\nHost: x\r\nauthorization: bearer t2\r\n\r\n"),
              step::request_ready);
    EXPECT_EQ(got().token, "t2");
    talk_.finish();
    ASSERT_EQ(say("GET /a HTTP/1.1\r\nHost: x\r\nAuthorization: Basic abc\r\n\r\n"),
              step::request_ready);
    EXPECT_EQ(got().token, "");
}

TEST_F(ConversationTest, UndoesChunking) {
    ASSERT_EQ(say("POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                  "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n",
                  1),
              step::request_ready);
    EXPECT_EQ(got().body, "abcde");
    talk_.finish();
    ASSERT_EQ(talk_.next(), step::request_ready);
    EXPECT_EQ(got().path, "/b");
}

// Found by http_fuzz: Beast stopped the process when the last byte of this came alone.
TEST_F(ConversationTest, ReadsAnEmptyChunkedBodyInAnySlices) {
    const std::string empty =
        "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    for (std::size_t piece = 1; piece < empty.size(); ++piece) {
        ASSERT_EQ(say(empty, piece), step::request_ready) << piece;
        EXPECT_EQ(got().body, "") << piece;
        talk_.finish();
        EXPECT_FALSE(talk_.in_the_middle()) << piece;
    }
}

TEST_F(ConversationTest, KnowsWhoWantsToClose) {
    ASSERT_EQ(say("GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"), step::request_ready);
    EXPECT_FALSE(got().keep_alive);
    talk_.finish();
    ASSERT_EQ(say("GET /a HTTP/1.0\r\n\r\n"), step::request_ready);
    EXPECT_FALSE(got().keep_alive);
}

TEST_F(ConversationTest, TreatsHeadAsGetWithoutABody) {
    ASSERT_EQ(say("HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n"), step::request_ready);
    EXPECT_EQ(got().verb, api::verb::get);
    EXPECT_TRUE(got().is_head);
}

TEST_F(ConversationTest, TakesAWholeAddressForItsPath) {
    ASSERT_EQ(say("GET http://shop.example:80/a?b=c HTTP/1.1\r\nHost: other\r\n\r\n"),
              step::request_ready);
    EXPECT_EQ(got().path, "/a");
    EXPECT_EQ(got().query, "b=c");
    talk_.finish();
    ASSERT_EQ(say("GET HTTPS://x?b HTTP/1.1\r\nHost: x\r\n\r\n", 1), step::request_ready);
    EXPECT_EQ(got().path, "/");
    EXPECT_EQ(got().query, "b");
}

TEST_F(ConversationTest, KnowsWhoWaitsToHearThatTheBodyMayCome) {
    const std::string head = post + "Expect: 100-Continue\r\nContent-Length: 3\r\n\r\n";
    ASSERT_EQ(say(head), step::need_more);
    EXPECT_TRUE(talk_.client_waits());
    EXPECT_EQ(talk_.announced().path, "/a");
    EXPECT_EQ(talk_.announced().body_bytes, 3U);
    ASSERT_EQ(say("abc"), step::request_ready);
    EXPECT_EQ(got().body, "abc");
    talk_.finish();
    ASSERT_EQ(say("POST /a HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"),
              step::need_more);
    EXPECT_FALSE(talk_.client_waits()) << "1.0 knows no such thing";
}

TEST_F(ConversationTest, KeepsNoMoreOfABodyThanIsOfUse) {
    for (const bool chunked : {false, true}) {
        const std::string head =
            post + (chunked ? "Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n"
                            : "Content-Length: 9\r\n\r\nabcde");
        const std::string rest = chunked ? "4\r\nfghi\r\n0\r\n\r\n" : "fghi";
        for (const std::size_t kept : {0U, 4U, 5U, 8U, 9U, 50U}) {
            ASSERT_EQ(say(head), step::need_more);
            talk_.keep_body(kept);
            ASSERT_EQ(say(rest, 1), step::request_ready) << kept;
            EXPECT_EQ(got().body, kept >= 9 ? "abcdefghi" : "") << kept;
            EXPECT_EQ(got().body_bytes, 9U) << kept;
            talk_.finish();
            EXPECT_FALSE(talk_.in_the_middle());
        }
    }
}

TEST_F(ConversationTest, ThrowsAwayTheBodyOfWhatOnlyGetsSomething) {
    for (const char* verb : {"GET", "HEAD", "DELETE"}) {
        ASSERT_EQ(
            say(std::string(verb) + " /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"),
            step::request_ready);
        EXPECT_EQ(got().body, "") << verb;
        EXPECT_EQ(got().body_bytes, 3U) << verb;
        talk_.finish();
    }
}

TEST_F(ConversationTest, HandsOutARequestWithoutTheBodyThatIsNotToCome) {
    ASSERT_EQ(say(post + "Expect: 100-continue\r\nContent-Length: 3\r\n\r\n"), step::need_more);
    talk_.give_up_body();
    EXPECT_EQ(got().path, "/a");
    EXPECT_EQ(got().body_bytes, 3U);
    EXPECT_FALSE(got().keep_alive);
    talk_.finish();
}

struct bad_case {
    const char* name;
    std::string text;
    api::problem why;
};

class RefusedTest : public ConversationTest, public testing::WithParamInterface<bad_case> {};

TEST_P(RefusedTest, WithTheRightProblem) {
    EXPECT_EQ(say(GetParam().text), step::refused);
    EXPECT_EQ(talk_.why(), GetParam().why);
    EXPECT_FALSE(talk_.detail().empty());
}

INSTANTIATE_TEST_SUITE_P(
    Conversation, RefusedTest,
    testing::Values(
        bad_case{"Garbage", "\x16\x03\x01 nonsense\r\n\r\n", api::problem::bad_request},
        bad_case{"NoHost", "GET /a HTTP/1.1\r\n\r\n", api::problem::bad_request},
        bad_case{"TwoHosts", "GET /a HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
                 api::problem::bad_request},
        bad_case{"LengthAndChunked",
                 post + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
                 api::problem::bad_request},
        bad_case{"ChunkedAndLength",
                 post + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n",
                 api::problem::bad_request},
        bad_case{"TwoLengths", post + "Content-Length: 3\r\nContent-Length: 4\r\n\r\n",
                 api::problem::bad_request},
        bad_case{"TheSameLengthTwice", post + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
                 api::problem::bad_request},
        bad_case{"NegativeLength", post + "Content-Length: -3\r\n\r\n", api::problem::bad_request},
        bad_case{"FoldedLine", "GET /a HTTP/1.1\r\nHost: x\r\nToken: a\r\n b\r\n\r\n",
                 api::problem::bad_request},
        bad_case{"FoldedFieldNobodyReads", "GET /a HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n",
                 api::problem::bad_request},
        bad_case{"FoldedAfterTheColon", "GET /a HTTP/1.1\r\nHost: x\r\nToken:\r\n b\r\n\r\n",
                 api::problem::bad_request},
        bad_case{"ListOfLengths", post + "Content-Length: 3, 3\r\n\r\nabc",
                 api::problem::bad_request},
        bad_case{"OtherEncoding", post + "Transfer-Encoding: gzip\r\n\r\n",
                 api::problem::bad_request},
        bad_case{"OneEncodingMore", post + "Transfer-Encoding: gzip, chunked\r\n\r\n",
                 api::problem::bad_request},
        bad_case{"ChunkedIn10", "POST /a HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
                 api::problem::bad_request},
        bad_case{"EndlessChunkExtension",
                 post + "Transfer-Encoding: chunked\r\n\r\n5;" + std::string(2000, 'a'),
                 api::problem::header_too_large},
        bad_case{"EndlessTrailer",
                 post + "Transfer-Encoding: chunked\r\n\r\n0\r\nX: " + std::string(2000, 'a'),
                 api::problem::header_too_large},
        bad_case{"LargeTrailer",
                 post + "Transfer-Encoding: chunked\r\n\r\n0\r\nX: " + std::string(1200, 'a') +
                     "\r\n\r\n",
                 api::problem::header_too_large},
        bad_case{"EndlessTarget", "GET /" + std::string(2000, 'a'), api::problem::uri_too_long},
        bad_case{"BadChunk", post + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n",
                 api::problem::bad_request},
        bad_case{"Expect", post + "Expect: 102-processing\r\nContent-Length: 3\r\n\r\n",
                 api::problem::expectation_failed},
        bad_case{"ExpectMore",
                 post + "Expect: 100-continue\r\nExpect: x\r\nContent-Length: 3\r\n\r\n",
                 api::problem::expectation_failed},
        bad_case{"TargetOfAnotherScheme", "GET ftp://x/ HTTP/1.1\r\nHost: x\r\n\r\n",
                 api::problem::bad_request},
        bad_case{"TargetWithAUser", "GET http://u@x/ HTTP/1.1\r\nHost: x\r\n\r\n",
                 api::problem::bad_request},
        bad_case{"TargetWithoutAHost", "GET http:///a HTTP/1.1\r\nHost: x\r\n\r\n",
                 api::problem::bad_request},
        bad_case{"Asterisk", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", api::problem::bad_request},
        bad_case{"OldVersion", "GET / HTTP/0.9\r\nHost: x\r\n\r\n", api::problem::bad_request},
        bad_case{"LongTarget", "GET /" + std::string(300, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n",
                 api::problem::uri_too_long},
        bad_case{"LargeHead", "GET / HTTP/1.1\r\nX: " + std::string(2000, 'a'),
                 api::problem::header_too_large},
        bad_case{"ManyFields", "GET / HTTP/1.1\r\n" + std::string(2000, 'a'),
                 api::problem::header_too_large},
        bad_case{"LargeBody", post + "Content-Length: 101\r\n\r\n",
                 api::problem::payload_too_large},
        bad_case{"LargeChunks",
                 post + "Transfer-Encoding: chunked\r\n\r\n65\r\n" + std::string(101, 'a'),
                 api::problem::payload_too_large}),
    [](const auto& each) { return std::string(each.param.name); });

// Found by the fuzzer: whether it was refused depended on where TCP split the empty line.
TEST_F(ConversationTest, TakesAHeadOfExactlyTheLimitInAnySlices) {
    std::string head = "GET /a HTTP/1.1\r\nHost: x\r\nX: ";
    head += std::string(limits_.head_bytes_max - head.size(), 'a');
    for (std::size_t piece = 1; piece < 9; ++piece) {
        EXPECT_EQ(say(head + "\r\n\r\n", piece), step::request_ready) << piece;
        talk_.finish();
    }
    EXPECT_EQ(say(head + "a\r\n\r\n"), step::refused);
}

TEST_F(ConversationTest, TakesABodyOfExactlyTheLimit) {
    EXPECT_EQ(say(post + "Content-Length: 100\r\n\r\n" + std::string(100, 'a')),
              step::request_ready);
}

TEST(LanguageOf, TakesTheHeaviestOfTheTwoWeSpeak) {
    EXPECT_EQ(language_of(""), api::language::en);
    EXPECT_EQ(language_of("zh-CN,zh;q=0.9,en;q=0.8"), api::language::zh);
    EXPECT_EQ(language_of("en-US,en;q=0.9,zh;q=0.8"), api::language::en);
    EXPECT_EQ(language_of("fr, zh;q=0.2, en;q=0.5"), api::language::en);
    EXPECT_EQ(language_of("fr"), api::language::en);
    EXPECT_EQ(language_of("zh;q=x"), api::language::zh);
}

// A request for a WebSocket is like any other; its head is kept to be read again.
TEST_F(ConversationTest, LetsAnUpgradeThroughAndKnowsWhatFollows) {
    const std::string head =
        "GET /api/v1/ws?ticket=t HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\n"
        "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n";
    ASSERT_EQ(say(head), step::request_ready);
    EXPECT_EQ(got().path, "/api/v1/ws");
    EXPECT_EQ(talk_.head(), head);
    EXPECT_FALSE(talk_.something_follows());
    talk_.finish();
    ASSERT_EQ(say(head + "x"), step::request_ready);
    EXPECT_EQ(talk_.head(), head);
    EXPECT_TRUE(talk_.something_follows());
}

}  // namespace
}  // namespace floodgate::http
