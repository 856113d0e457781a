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
    void ping() { on_control(); }
    void hang_up() { on_end(); }

    std::vector<std::string> got;
    std::optional<close_code> closed;
    bool dropped = false, under_way = false;

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
    void drop() override { dropped = true; }
};

class SocketRoomTest : public testing::Test {
protected:
    std::shared_ptr<test_socket> arrive(std::int64_t buyer = 7, bool greeted = true) {
        auto socket = std::make_shared<test_socket>(room_.for_sockets());
        last_ = room_.reserve({buyer});
        EXPECT_NE(last_, 0U);
        room_.admit(last_, socket);
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

// Its goodbye waits behind the message it does not take: nobody but us would ever end it.
TEST_F(SocketRoomTest, WhoeverDoesNotGoIsCut) {
    const auto slow = arrive(), gone = arrive();
    const auto now = web_socket::clock::now();
    for (std::uint64_t no = 1; no <= 5; ++no) room_.hear(news_of{.no = no});
    gone->hang_up();
    room_.tick(now + std::chrono::seconds(2));
    EXPECT_FALSE(slow->dropped);
    room_.tick(now + std::chrono::seconds(5));
    EXPECT_TRUE(slow->dropped);
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
    EXPECT_TRUE(two->dropped);
    two->hang_up();
    EXPECT_TRUE(room_.empty());
    EXPECT_EQ(mail_.read_figures().sockets, 0U);
    room_.hear(news_of{});
    room_.greet(1, std::nullopt);  // a hello that comes too late
}

TEST_F(SocketRoomTest, AHandshakeThatFailsLeavesNothing) {
    const std::uint64_t id = room_.reserve({7});
    room_.admit(id, nullptr);
    EXPECT_TRUE(room_.empty());
    EXPECT_EQ(mail_.read_figures().sockets, 0U);
}

}  // namespace
}  // namespace floodgate::push
