#include "http/web_socket_stream.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/web_socket_pair.hpp"

namespace floodgate::http {
namespace {

using push::close_code;
using testing::HasSubstr;
using testing::StartsWith;

const std::string ping = client_frame(0x81, R"({"type":"ping"})");
const std::string refused = client_frame(0x82);  // binary

// What may follow it in the same packet.
struct sequel {
    const char* what;
    std::string bytes;
};
const std::vector<sequel>& sequels() {
    static const std::vector<sequel> all{
        {"nothing", ""},
        {"a frame with a reserved bit", client_frame(0xc1)},
        {"a frame without a mask", "\x81\x05hello"},
        {"a text that is too long", client_frame(0x81, std::string(2000, 'x'))},
        {"a close", client_frame(0x88, "\x03\xe8")},
        {"a close that is none", client_frame(0x88, "x")},
        {"half a frame", client_frame(0x81, "xyz").substr(0, 7)},
        {"another refused one", refused},
        {"a ping and a pong", client_frame(0x89, "a") + client_frame(0x8a, "b")},
    };
    return all;
}

// A close frame has its code in front of the reason.
std::string code(close_code c) {
    const auto n = static_cast<unsigned>(c);
    return {static_cast<char>(n >> 8U), static_cast<char>(n & 0xffU)};
}

push::web_socket::text text(const std::string& t) { return std::make_shared<const std::string>(t); }

TEST(WebSocketStream, OpensAndTalks) {
    web_socket_pair pair;
    EXPECT_THAT(pair.received(), StartsWith("HTTP/1.1 101"));
    pair.socket()->say(text("hello"));
    pair.send(ping);
    pair.run();
    EXPECT_THAT(pair.received(), HasSubstr("hello"));
    EXPECT_THAT(pair.received(), HasSubstr(R"({"type":"pong"})"));
    EXPECT_EQ(pair.ended, 0);
}

// Regression M1: a WebSocket did not count as its address any more.
TEST(WebSocketStream, HasItsPlaceAsLongAsItsDescriptor) {
    web_socket_pair left;
    EXPECT_TRUE(left.is_counted());
    left.hang_up();
    left.run();
    EXPECT_FALSE(left.is_counted());

    web_socket_pair cut;
    const auto kept = cut.socket();
    kept->close(close_code::replaced, "replaced");
    cut.run();
    EXPECT_TRUE(cut.is_counted()) << "its client has not answered the goodbye yet";
    kept->cut();
    EXPECT_FALSE(cut.is_counted()) << "although the socket itself is still referred to";
}

TEST(WebSocketStream, IsGoneWhenTheClientCloses) {
    web_socket_pair pair;
    pair.send(client_frame(0x88, "\x03\xe8"));
    pair.run();
    pair.hang_up();
    pair.run();
    EXPECT_EQ(pair.ended, 1);
    EXPECT_TRUE(pair.is_freed());
}

// H1: twelve bytes were enough for a socket that never ended.
TEST(WebSocketStream, ARefusedMessageEndsItWhateverFollows) {
    for (const auto& [what, bytes] : sequels()) {
        SCOPED_TRACE(what);
        web_socket_pair pair;
        pair.send(refused + bytes);
        pair.run();
        EXPECT_THAT(pair.received(), HasSubstr(code(close_code::not_text) + "text only"));
        pair.cut_leaving();
        EXPECT_EQ(pair.ended, 1);
        EXPECT_TRUE(pair.is_freed());
    }
}

// Beast's read and Beast's close may then wait for each other for ever; only cut() ends that.
TEST(WebSocketStream, AGoodbyeEndsItWhateverTheClientSendsMeanwhile) {
    for (const auto& [what, bytes] : sequels()) {
        SCOPED_TRACE(what);
        web_socket_pair pair;
        pair.socket()->close(close_code::replaced, "replaced");
        pair.send(bytes);
        pair.run();
        pair.send(bytes);
        pair.run();
        pair.cut_leaving();
        EXPECT_EQ(pair.ended, 1);
        EXPECT_TRUE(pair.is_freed());
    }
}

TEST(WebSocketStream, AGoodbyeBehindAMessageThatIsNotTakenEndsIt) {
    for (const auto& [what, bytes] : sequels()) {
        SCOPED_TRACE(what);
        web_socket_pair pair;
        pair.socket()->say(text(std::string(250'000, 'x')));
        pair.send(bytes);
        pair.run();
        if (const auto s = pair.socket()) s->close(close_code::come_again, "too slow");
        pair.send(bytes);
        pair.run();
        pair.cut_leaving();
        EXPECT_EQ(pair.ended, 1);
        EXPECT_TRUE(pair.is_freed());
    }
}

TEST(WebSocketStream, EndsWhenTheClientHasFinishedAndDoesNotRead) {
    web_socket_pair pair;
    pair.socket()->say(text(std::string(250'000, 'x')));
    pair.run();
    pair.finish();
    pair.run();
    EXPECT_EQ(pair.ended, 1);
    EXPECT_TRUE(pair.is_freed()) << "what was not taken is not kept for it";
}

TEST(WebSocketStream, ACutAtAnyMomentFreesIt) {
    for (const auto& [what, bytes] : sequels()) {
        SCOPED_TRACE(what);
        web_socket_pair pair;
        pair.send(bytes);
        pair.socket()->say(text("hello"));
        pair.socket()->cut();
        EXPECT_EQ(pair.ended, 1) << "at once";
        pair.run();
        EXPECT_EQ(pair.ended, 1);
        EXPECT_TRUE(pair.is_freed());
    }
}

// L14: it was read for three seconds, at 96 MB/s.
TEST(WebSocketStream, AFloodOfPingsIsClosedAndThenCut) {
    web_socket_pair pair;
    std::string flood;
    for (int i = 0; i < 60; ++i) flood += client_frame(0x89, std::string(125, 'x'));
    pair.send(flood);
    pair.run();
    EXPECT_THAT(pair.received(), HasSubstr(code(close_code::not_understood) + "too many"));
    for (int i = 0; i < 200 && pair.ended == 0; ++i) {
        pair.send(flood);
        pair.run();
    }
    EXPECT_EQ(pair.ended, 1);
    EXPECT_TRUE(pair.is_freed());
}

TEST(WebSocketStream, EndlessFragmentsAreTooManyBytes) {
    web_socket_pair pair;
    pair.send(client_frame(0x01, "x"));
    std::string flood;
    for (int i = 0; i < 1000; ++i) flood += client_frame(0x00);
    const std::string told = code(close_code::not_understood) + "too many";
    for (int i = 0; i < 30 && pair.received().find(told) == std::string::npos; ++i) {
        pair.send(flood);
        pair.run();
    }
    EXPECT_THAT(pair.received(), HasSubstr(told));
}

}  // namespace
}  // namespace floodgate::http
