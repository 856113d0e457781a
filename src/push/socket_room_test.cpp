#include "push/socket_room.hpp"

#include <boost/json/parse.hpp>

#include <gtest/gtest.h>

#include <optional>

#include "shop/news_fixture.hpp"

namespace floodgate::push {
namespace {

using shop::news_of;

// A client that takes what it is sent when it is told to.
class test_socket final : public web_socket {
public:
    using web_socket::web_socket;

    void connect() { on_open(true); }
    void take_one() { on_written(true); }
    void take_all() {
        while (under_way) take_one();
    }
    void say(const std::string& message, bool is_text = true) { on_message(message, is_text); }
    void ping() {
        if (note_received(1, 0)) on_flood();
    }
    void send_bytes(std::size_t n) {
        if (note_received(0, n)) on_flood();
    }
    void break_protocol() { on_leaving(); }
    void hang_up() { on_end(); }

    std::vector<std::string> got;
    std::optional<close_code> closed;
    int dropped = 0;
    bool under_way = false;

private:
    void accept() override {}
    void read() override {}
    void write(const std::string& message) override {
        EXPECT_FALSE(under_way);
        under_way = true;
        got.push_back(message);
    }
    void on_written(bool fine) {
        under_way = false;
        web_socket::on_written(fine);
    }
    void send_close(close_code code, std::string_view) override { closed = code; }
    void drop() override { ++dropped; }
};

class SocketRoomTest : public testing::Test {
protected:
    std::shared_ptr<test_socket> knock(const guard::ticket_holder& whose) {
        auto socket = std::make_shared<test_socket>(room_.for_sockets());
        last_ = room_.reserve(whose);
        EXPECT_NE(last_, 0U);
        room_.admit(last_, socket);
        return socket;
    }
    std::shared_ptr<test_socket> arrive(std::int64_t buyer = 7, bool greeted = true) {
        auto socket = knock({.user = {buyer}});
        socket->connect();
        if (greeted) {
            room_.greet(last_, hello{.text = "hello", .states = {}});
            socket->take_all();
            socket->got.clear();
        }
        return socket;
    }
    static std::string kind(const std::string& message) {
        return std::string(boost::json::parse(message).at("type").as_string());
    }

    shop::recent_orders recent_;
    mailroom mail_{
        recent_,
        {.sockets = {.per_user_max = 2, .unsent_messages_max = 4, .unsent_bytes_max = 1000}}};
    std::uint64_t replaced_ = 0;
    const std::uint32_t box_ =
        mail_.open_box({.news = {}, .replaced = [this](std::uint64_t s) { replaced_ = s; }});
    socket_room room_{mail_, box_};
    std::uint64_t last_ = 0;
};

TEST_F(SocketRoomTest, TellsEveryTabOfTheBuyerAndNobodyElse) {
    const auto one = arrive(), two = arrive(), other = arrive(8);
    room_.hear(news_of{.no = 5, .event = 3});
    ASSERT_EQ(one->got.size(), 1U);
    EXPECT_EQ(kind(one->got[0]), "order");
    EXPECT_EQ(two->got, one->got);
    EXPECT_TRUE(other->got.empty());
    EXPECT_EQ(mail_.read_figures().messages, 3U);  // the hellos: the others are under way
}

TEST_F(SocketRoomTest, WhatIsHeardBeforeTheHelloComesBehindItUnlessItIsInIt) {
    const auto socket = arrive(7, false);
    room_.hear(news_of{.no = 5, .event = 3});
    room_.hear(news_of{.no = 5, .event = 4});
    EXPECT_TRUE(socket->got.empty());
    room_.greet(last_, hello{.text = "hello", .last_event = 3, .states = {}});
    socket->take_all();
    ASSERT_EQ(socket->got.size(), 2U);
    EXPECT_EQ(socket->got[0], "hello");
    EXPECT_NE(socket->got[1].find("\"event\":4"), std::string::npos);
}

TEST_F(SocketRoomTest, ShowsTheLiveViewOnlyToThoseWhoWantItAndNeverPilesItUp) {
    const auto buyer = arrive();
    EXPECT_FALSE(mail_.has_viewers());
    const auto viewer = std::make_shared<test_socket>(room_.for_sockets());
    const std::uint64_t id = room_.reserve({.user = {1}}, true);
    EXPECT_TRUE(mail_.has_viewers());
    room_.admit(id, viewer);
    viewer->connect();
    const auto figures = std::make_shared<const std::string>("{}");
    room_.show(figures);
    EXPECT_TRUE(viewer->got.empty()) << "the hello comes first";
    room_.greet(id, hello{.text = "hello", .states = {}});
    viewer->take_all();
    for (int i = 0; i < 10; ++i) room_.show(figures);
    EXPECT_EQ(viewer->got.size(), 2U) << "it has not taken the first yet";
    viewer->take_all();
    room_.show(figures);
    EXPECT_EQ(viewer->got.size(), 3U);
    EXPECT_FALSE(viewer->closed);
    EXPECT_TRUE(buyer->got.empty());
    viewer->hang_up();
    EXPECT_FALSE(mail_.has_viewers());
}

// Regression: a move is committed, then a hello has it, then its news is told.
TEST_F(SocketRoomTest, WhatTheHelloHasIsNotToldAgainLater) {
    const auto socket = arrive(7, false);
    room_.greet(last_, hello{.text = "hello", .last_event = 3, .states = {}});
    room_.hear(news_of{.no = 5, .event = 3});
    room_.hear(news_of{.no = 5, .event = 4});
    socket->take_all();
    ASSERT_EQ(socket->got.size(), 2U);
    EXPECT_NE(socket->got[1].find("\"event\":4"), std::string::npos);
}

TEST_F(SocketRoomTest, WithoutAHelloTheSocketIsSentAway) {
    const auto socket = arrive(7, false);
    room_.greet(last_, std::nullopt);
    EXPECT_EQ(socket->closed, close_code::come_again);
}

TEST_F(SocketRoomTest, OneThatDoesNotReadIsClosedAtItsLimitAndOthersHearAll) {
    const auto slow = arrive(), quick = arrive();
    for (std::uint64_t no = 1; no <= 4; ++no) {
        room_.hear(news_of{.no = no});
        quick->take_all();
    }
    EXPECT_FALSE(slow->closed);
    room_.hear(news_of{.no = 5});
    quick->take_all();
    EXPECT_EQ(slow->closed, close_code::come_again);
    EXPECT_FALSE(quick->closed);
    EXPECT_EQ(quick->got.size(), 5U);
    EXPECT_EQ(mail_.read_figures().overflowed, 1U);
    slow->take_all();
    EXPECT_EQ(slow->got.size(), 1U);  // what waited behind is not sent any more
}

// The close frame waits behind a message that the client does not take, so only a cut ends the
// socket.
TEST_F(SocketRoomTest, WhoeverDoesNotGoIsCut) {
    const auto slow = arrive(), gone = arrive();
    const auto now = web_socket::clock::now();
    for (std::uint64_t no = 1; no <= 5; ++no) room_.hear(news_of{.no = no});
    gone->hang_up();
    room_.tick(now + std::chrono::seconds(2));
    EXPECT_EQ(slow->dropped, 0);
    room_.tick(now + std::chrono::seconds(5));
    EXPECT_EQ(slow->dropped, 1);
    EXPECT_EQ(gone->dropped, 1) << "when it hung up";
    EXPECT_TRUE(room_.empty());
}

// H1: Beast's read and Beast's close can wait for each other, and then neither calls back.
TEST_F(SocketRoomTest, ACutSocketIsGoneWhateverItsStreamStillWaitsFor) {
    const auto mute = arrive();
    room_.close(last_, close_code::replaced, "replaced");
    room_.tick(web_socket::clock::now() + std::chrono::seconds(5));
    EXPECT_TRUE(room_.empty());
    EXPECT_EQ(mail_.read_figures().sockets, 0U);
    mute->hang_up();  // and if the stream does call back, that changes nothing
    mute->say("late");
    mute->cut();
    EXPECT_EQ(mute->dropped, 1);
    EXPECT_EQ(mute.use_count(), 1) << "nothing else holds it";
}

TEST_F(SocketRoomTest, OneThatBrokeTheProtocolHasNoMoreTimeThanOthers) {
    const auto rude = arrive();
    rude->break_protocol();
    room_.hear(news_of{.no = 5});
    EXPECT_TRUE(rude->got.empty());
    room_.tick(web_socket::clock::now() + std::chrono::seconds(5));
    EXPECT_TRUE(room_.empty());
}

TEST_F(SocketRoomTest, OneThatIsNotOpenYetMayEndWhileItIsTold) {
    const auto one = knock({.user = {7}}), two = knock({.user = {7}});
    for (std::uint64_t no = 1; no <= 5; ++no) room_.hear(news_of{.no = no});
    EXPECT_EQ(one->dropped, 1);
    EXPECT_EQ(two->dropped, 1);
    EXPECT_TRUE(room_.empty());
}

TEST_F(SocketRoomTest, BytesCountAsWellAsMessages) {
    const auto socket = arrive();
    socket->web_socket::say(std::make_shared<const std::string>(600, 'x'));
    EXPECT_FALSE(socket->closed);
    socket->web_socket::say(std::make_shared<const std::string>(401, 'x'));
    EXPECT_EQ(socket->closed, close_code::come_again);
}

TEST_F(SocketRoomTest, WhatWasSentMakesRoomAgain) {
    const auto socket = arrive();
    for (std::uint64_t no = 1; no <= 100; ++no) {
        room_.hear(news_of{.no = no});
        socket->take_all();
    }
    EXPECT_FALSE(socket->closed);
    EXPECT_EQ(socket->got.size(), 100U);
}

TEST_F(SocketRoomTest, NewsThatPilesUpBeforeTheHelloIsBoundedToo) {
    const auto socket = arrive(7, false);
    for (std::uint64_t no = 1; no <= 5; ++no) room_.hear(news_of{.no = no});
    EXPECT_EQ(socket->closed, close_code::come_again);
}

TEST_F(SocketRoomTest, UnderstandsAPingAndNothingElse) {
    const auto socket = arrive();
    socket->say(R"({"type":"ping"})");
    ASSERT_EQ(socket->got.size(), 1U);
    EXPECT_EQ(socket->got[0], R"({"type":"pong"})");
    for (const char* message : {"", "ping", "{}", R"({"type":"pong"})", R"({"type":1})", "[]",
                                R"({"type":"ping","more":1})", R"({"type":"ping"} x)", "null"}) {
        const auto other = arrive(9);
        other->say(message);
        EXPECT_EQ(other->closed, close_code::not_understood) << message;
        other->hang_up();
    }
    socket->say(R"({"type":"ping"})", false);
    EXPECT_EQ(socket->closed, close_code::not_text);
}

TEST_F(SocketRoomTest, TooManyMessagesOrPingsEndIt) {
    const auto talker = arrive(), pinger = arrive();
    for (int i = 0; i < 30 && !talker->closed; ++i) {
        talker->say(R"({"type":"ping"})");
        talker->take_all();
    }
    EXPECT_EQ(talker->closed, close_code::not_understood);
    for (int i = 0; i < 30; ++i) pinger->ping();
    EXPECT_EQ(pinger->closed, close_code::not_understood);
    EXPECT_EQ(pinger->dropped, 0) << "it has a moment to read why";
}

// L14: frames of any kind, also those that are never complete.
TEST_F(SocketRoomTest, TooManyBytesEndItAndEndlessOnesAtOnce) {
    const auto socket = arrive();
    for (int i = 0; i < 12 && !socket->closed; ++i) socket->send_bytes(1500);
    EXPECT_EQ(socket->closed, close_code::not_understood);
    EXPECT_EQ(socket->dropped, 0);
    for (int i = 0; i < 200 && socket->dropped == 0; ++i) socket->send_bytes(1500);
    EXPECT_EQ(socket->dropped, 1);
    EXPECT_TRUE(room_.empty());
}

TEST_F(SocketRoomTest, ThePingsAndMessagesThatMayBeSentAreNotTooManyBytes) {
    const auto socket = arrive();
    for (int i = 0; i < 10; ++i) {
        socket->ping();
        socket->send_bytes(1024 + 8);
    }
    EXPECT_FALSE(socket->closed);
}

// L1: a socket ends with its log-in.
TEST_F(SocketRoomTest, ASocketIsClosedWhenItsLogInEndsOrExpires) {
    const instant noon = from_ms(1'800'000'000'000);
    guard::sessions logins;
    std::vector<std::shared_ptr<test_socket>> sockets;
    for (std::uint8_t n = 0; n < 10; ++n) {
        const sale::token_hash login{std::byte{n}};
        logins.add({.hash = login, .user = {n}, .expires_at = noon + milliseconds(1000 + n)});
        sockets.push_back(knock({.user = {n}, .login = login}));
        sockets.back()->connect();
    }
    const auto look_at_all = [&](instant now) {
        for (int i = 0; i < 4; ++i) room_.end_with_logins(logins, {}, now);
    };
    look_at_all(noon);
    for (const auto& s : sockets) EXPECT_FALSE(s->closed);
    logins.remove({std::byte{3}});
    look_at_all(noon);
    look_at_all(noon + milliseconds(1001));
    for (std::size_t n = 0; n < sockets.size(); ++n)
        EXPECT_EQ(sockets[n]->closed.has_value(), n <= 1 || n == 3) << n;
    EXPECT_EQ(sockets[3]->closed, close_code::logged_out);
}

TEST_F(SocketRoomTest, TheOneTooManyReplacesTheOldest) {
    const auto oldest = arrive();
    const std::uint64_t first = last_;
    arrive();
    EXPECT_EQ(replaced_, 0U);
    arrive();
    EXPECT_EQ(replaced_, first);
    room_.close(replaced_, close_code::replaced, "replaced");
    EXPECT_EQ(oldest->closed, close_code::replaced);
}

TEST_F(SocketRoomTest, IsEmptyWhenAllHaveGone) {
    const auto one = arrive(), two = arrive(8);
    room_.close_all();
    EXPECT_EQ(one->closed, close_code::going_away);
    EXPECT_EQ(two->closed, close_code::going_away);
    one->hang_up();
    one->hang_up();  // read and close both end: told once
    EXPECT_FALSE(room_.empty());
    room_.cut_all();
    EXPECT_EQ(two->dropped, 1);
    EXPECT_TRUE(room_.empty());
    EXPECT_EQ(mail_.read_figures().sockets, 0U);
    room_.hear(news_of{});
    room_.greet(1, std::nullopt);  // a hello that comes too late
}

TEST_F(SocketRoomTest, AHandshakeThatFailsLeavesNothing) {
    const std::uint64_t id = room_.reserve({.user = {7}});
    room_.admit(id, nullptr);
    EXPECT_TRUE(room_.empty());
    EXPECT_EQ(mail_.read_figures().sockets, 0U);
}

}  // namespace
}  // namespace floodgate::push
