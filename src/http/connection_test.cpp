#include "http/connection.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "http/answers.hpp"
#include "push/web_socket.hpp"

namespace floodgate::http {
namespace {

using std::chrono::milliseconds;

// A client in the same process, which sends anything and takes answers when the test wants.
class test_connection final : public connection {
public:
    using connection::connection;

    void start() override {}
    void on_ready(bool, bool) override {}
    bool has_unread() override { return false; }
    using connection::begin_handshake;
    using connection::end_handshake;

    void say(std::string_view text) {
        const auto to = room();
        std::memcpy(to.data(), text.data(), text.size());
        on_received(text.size());
    }
    void hang_up() { on_peer_finished(); }
    void take() { on_written(); }

    std::vector<std::string> got;
    std::vector<std::shared_ptr<const std::string>> shared;  // of the answers that share a text
    bool takes_at_once = true, reads = true, said_goodbye = false, transport_open = true;

private:
    void write(std::string_view bytes) override {
        got.emplace_back(bytes);
        if (takes_at_once) on_written();
    }
    void write(const shared_answer& bytes) override {
        shared.push_back(bytes.shared.whole);
        write(std::string(bytes.start).append(bytes.shared.part).append(bytes.tail));
    }
    void shut_down() override { said_goodbye = true; }
    void close_transport() override { transport_open = false; }
    std::shared_ptr<push::web_socket> give_away(boost::asio::io_context&, const push::socket_world&,
                                                const upgrade_request&) override {
        return nullptr;
    }
    void want_more(bool yes) override { reads = yes; }
};

struct test_home final : connection_home {
    using connection_home::connection_home;
    std::size_t body_bytes_wanted(const request&) override { return wanted; }
    void on_closed(connection&) override { ++closed; }
    void on_more(connection&) override { ++more; }
    void on_progress(connection&) override {}
    int closed = 0, more = 0;
    std::size_t wanted = 100;
};

struct ConnectionTest : testing::Test {
    static std::string get(const std::string& path) {
        return "GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n";
    }
    std::string next_path() {
        const request* r = client->next();
        return r ? std::string(r->path) : "";
    }
    answers out;
    test_home home{loop_options{}, out};
    std::shared_ptr<test_connection> client = std::make_shared<test_connection>(home, remote{});
};

TEST_F(ConnectionTest, GivesOutOneRequestAtATime) {
    client->say(get("/a") + get("/b"));
    EXPECT_EQ(next_path(), "/a");
    EXPECT_EQ(next_path(), "") << "the first is not answered yet";
    client->answer("answer a");
    EXPECT_EQ(home.more, 1) << "the second is in the buffer: the home must ask for it";
    EXPECT_EQ(next_path(), "/b");
    client->answer("answer b");
    EXPECT_EQ(home.more, 1);
    EXPECT_EQ(next_path(), "");
    EXPECT_EQ(client->got, (std::vector<std::string>{"answer a", "answer b"}));
}

TEST_F(ConnectionTest, GivesOutNothingWhileAnAnswerIsOnItsWay) {
    client->takes_at_once = false;
    client->say(get("/a") + get("/b"));
    EXPECT_EQ(next_path(), "/a");
    client->answer("answer a");
    EXPECT_EQ(next_path(), "");
    client->take();
    EXPECT_EQ(home.more, 1);
    EXPECT_EQ(next_path(), "/b");
}

TEST_F(ConnectionTest, StopsReadingAClientThatRunsFarAhead) {
    client->say(get("/a"));
    EXPECT_EQ(next_path(), "/a");
    const std::string piece(2000, 'x');
    for (int i = 0; i < 9 && client->reads; ++i) client->say(piece);
    EXPECT_FALSE(client->reads);
    client->answer("answer a");
    EXPECT_EQ(home.more, 1);
}

TEST_F(ConnectionTest, ReadsAgainWhenItNeedsMore) {
    client->say(get("/a"));
    EXPECT_EQ(next_path(), "/a");
    client->stop_reading();
    EXPECT_FALSE(client->reads);
    client->answer("answer a");
    EXPECT_EQ(home.more, 1) << "somebody must ask for the next request, or it never reads again";
    EXPECT_EQ(next_path(), "");
    EXPECT_TRUE(client->reads);
}

TEST_F(ConnectionTest, RefusesWhatIsNotHttpAndCloses) {
    client->say("hello?\r\n\r\n");
    EXPECT_EQ(next_path(), "");
    ASSERT_EQ(client->got.size(), 1U);
    EXPECT_TRUE(client->got[0].starts_with("HTTP/1.1 400 ")) << client->got[0];
    EXPECT_TRUE(client->said_goodbye);
    client->say(get("/a"));
    EXPECT_EQ(next_path(), "") << "read and thrown away";
    client->hang_up();
    EXPECT_TRUE(client->closed());
    EXPECT_EQ(home.closed, 1);
    figures f;
    out.add_to(f);
    EXPECT_EQ(f.by_status[400], 1U);
}

TEST_F(ConnectionTest, AnswersAClientThatHasClosedItsSide) {
    client->say(get("/a") + get("/b"));
    client->hang_up();
    EXPECT_EQ(next_path(), "/a");
    EXPECT_TRUE(client->gave_up());
    client->answer("answer a");
    EXPECT_EQ(next_path(), "/b");
    client->answer("answer b");
    EXPECT_EQ(client->got.size(), 2U);
    EXPECT_EQ(next_path(), "");
    EXPECT_TRUE(client->closed());
    EXPECT_FALSE(client->transport_open);
}

TEST_F(ConnectionTest, ClosesSilentlyWhenItIsIdleTooLong) {
    client->check_deadline(home.now + home.options.timeouts.idle - milliseconds(1));
    EXPECT_FALSE(client->closed());
    client->check_deadline(home.now + home.options.timeouts.idle);
    EXPECT_TRUE(client->closed());
    EXPECT_TRUE(client->got.empty());
}

TEST_F(ConnectionTest, SaysSoWhenARequestTakesTooLong) {
    client->say("GET /a HTTP/1.1\r\n");
    EXPECT_EQ(next_path(), "");
    home.now += home.options.timeouts.head;
    client->say("Host: a\r\n");
    EXPECT_EQ(next_path(), "") << "a slow drip does not help";
    client->check_deadline(home.now);
    ASSERT_EQ(client->got.size(), 1U);
    EXPECT_TRUE(client->got[0].starts_with("HTTP/1.1 408 ")) << client->got[0];
    EXPECT_TRUE(client->said_goodbye);
}

TEST_F(ConnectionTest, HasTheTimeOfAHeadForItsHandshake) {
    client->begin_handshake();
    client->check_deadline(home.now + home.options.timeouts.head - milliseconds(1));
    EXPECT_FALSE(client->closed());
    client->check_deadline(home.now + home.options.timeouts.head);
    EXPECT_TRUE(client->closed());
    EXPECT_TRUE(client->got.empty()) << "there is nothing to be said without a handshake";
}

TEST_F(ConnectionTest, HasTheTimeOfAnIdleOneAfterItsHandshake) {
    client->begin_handshake();
    client->end_handshake();
    client->check_deadline(home.now + home.options.timeouts.head);
    EXPECT_FALSE(client->closed());
}

TEST_F(ConnectionTest, IsIdleWhileItWaitsForItsClientWithNothingUnderWay) {
    EXPECT_EQ(home.idle.size(), 1U) << "it has just come";
    client->say("GET /a HT");
    EXPECT_TRUE(home.idle.empty()) << "half a request";
    client->say("TP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(next_path(), "/a");
    EXPECT_TRUE(home.idle.empty());
    client->takes_at_once = false;
    client->answer("answer a");
    EXPECT_TRUE(home.idle.empty());
    client->take();
    EXPECT_EQ(home.idle.size(), 1U);
    client->close();
    EXPECT_TRUE(home.idle.empty());
}

TEST_F(ConnectionTest, IsIdleForAsLongAsItHasSaidNothing) {
    const auto second = std::make_shared<test_connection>(home, remote{});
    EXPECT_EQ(&home.idle.front(), client.get());
    client->say(get("/a"));
    EXPECT_EQ(next_path(), "/a");
    client->answer("answer a");
    EXPECT_EQ(&home.idle.front(), second.get());
    EXPECT_EQ(&home.idle.back(), client.get());
}

struct ExpectingConnectionTest : ConnectionTest {
    static std::string head(const std::string& length) {
        return "POST /a HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n" + length + "\r\n\r\n";
    }
    const std::string go_ahead = "HTTP/1.1 100 Continue\r\n\r\n";
};

TEST_F(ExpectingConnectionTest, IsToldToGoAheadOnce) {
    client->say(head("Content-Length: 5"));
    EXPECT_EQ(client->next(), nullptr);
    EXPECT_EQ(client->got, std::vector{go_ahead});
    client->say("he");
    EXPECT_EQ(client->next(), nullptr);
    client->say("llo");
    const request* r = client->next();
    ASSERT_TRUE(r);
    EXPECT_EQ(r->body, "hello");
    EXPECT_TRUE(client->keep_alive());
    EXPECT_EQ(client->got.size(), 1U);
}

TEST_F(ExpectingConnectionTest, GivesOutNothingUntilTheGoAheadHasLeft) {
    client->takes_at_once = false;
    client->say(head("Content-Length: 5"));
    EXPECT_EQ(client->next(), nullptr);
    client->say("hello");
    EXPECT_EQ(client->next(), nullptr);
    client->take();
    EXPECT_EQ(home.more, 1) << "somebody must ask for the request";
    ASSERT_TRUE(client->next());
    client->answer("answer");
    EXPECT_EQ(client->got, (std::vector<std::string>{go_ahead, "answer"}));
}

TEST_F(ExpectingConnectionTest, IsAnsweredAtOnceWhenTheBodyIsOfNoUse) {
    for (const auto& [wanted, length] :
         {std::pair<std::size_t, const char*>{0, "Content-Length: 5"},
          std::pair<std::size_t, const char*>{0, "Transfer-Encoding: chunked"},
          std::pair<std::size_t, const char*>{4, "Content-Length: 5"}}) {
        client = std::make_shared<test_connection>(home, remote{});
        home.wanted = wanted;
        client->say(head(length));
        const request* r = client->next();
        ASSERT_TRUE(r) << length;
        EXPECT_EQ(r->body, "");
        EXPECT_TRUE(client->got.empty()) << "no go-ahead";
        EXPECT_FALSE(client->keep_alive()) << "the body may follow all the same";
        client->answer("no");
        EXPECT_TRUE(client->said_goodbye);
    }
}

TEST_F(ExpectingConnectionTest, IsToldNothingWhenTheBodyIsHereAlready) {
    client->say(head("Content-Length: 5") + "hello" + get("/b"));
    ASSERT_TRUE(client->next());
    EXPECT_TRUE(client->got.empty());
    client->answer("answer a");
    EXPECT_EQ(next_path(), "/b");
}

TEST_F(ConnectionTest, KeepsNothingOfABodyThatIsOfNoUse) {
    home.wanted = 0;
    client->say("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe");
    EXPECT_EQ(client->next(), nullptr);
    client->say("llo" + get("/b"));
    const request* r = client->next();
    ASSERT_TRUE(r);
    EXPECT_EQ(r->body, "");
    EXPECT_EQ(r->body_bytes, 5U);
    client->answer("answer a");
    EXPECT_EQ(next_path(), "/b") << "the connection lives on";
}

struct FileConnectionTest : ConnectionTest {
    static std::string head(const std::string& framing) {
        return "POST /api/v1/admin/payments/bills HTTP/1.1\r\nHost: a\r\n" + framing + "\r\n\r\n";
    }
};

// Otherwise strangers could have any number of long files read and thrown away.
TEST_F(FileConnectionTest, AFileThatIsOfNoUseIsNotRead) {
    home.wanted = 0;
    for (const char* framing : {"Content-Length: 60000000", "Transfer-Encoding: chunked"}) {
        client = std::make_shared<test_connection>(home, remote{});
        client->say(head(framing));
        ASSERT_TRUE(client->next()) << framing;
        EXPECT_FALSE(client->keep_alive());
        client->answer("no");
        EXPECT_TRUE(client->said_goodbye);
    }
}

TEST_F(FileConnectionTest, ALongFileHasMoreTime) {
    home.wanted = 67'108'864;
    client->say(head("Content-Length: 13107200"));  // at 128 KiB a second: 100 seconds
    EXPECT_EQ(client->next(), nullptr);
    client->check_deadline(home.now + std::chrono::milliseconds(119'999));
    EXPECT_TRUE(client->got.empty());
    client->check_deadline(home.now + std::chrono::milliseconds(120'000));
    EXPECT_EQ(client->got.size(), 1U) << "408";
}

TEST_F(ConnectionTest, HasNoDeadlineWhileWeOweTheAnswer) {
    client->say(get("/a"));
    EXPECT_EQ(next_path(), "/a");
    client->check_deadline(home.now + std::chrono::hours(1));
    EXPECT_FALSE(client->closed());
}

TEST_F(ConnectionTest, RetiresAfterTheAnswerItOwes) {
    client->say(get("/a") + get("/b"));
    EXPECT_EQ(next_path(), "/a");
    client->retire();
    EXPECT_FALSE(client->closed());
    EXPECT_FALSE(client->keep_alive());
    client->answer("answer a");
    EXPECT_TRUE(client->said_goodbye);
    EXPECT_EQ(next_path(), "");
}

TEST_F(ConnectionTest, SendsASharedPageWithoutCopyingIt) {
    const auto page = std::make_shared<const std::string>("the page");
    const api::reply r{.body = "<", .shared = api::all_of(page), .tail = ">"};
    client->say(get("/a") + "HEAD /b HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(next_path(), "/a");
    out.send(*client, r);
    ASSERT_EQ(client->shared.size(), 1U);
    EXPECT_EQ(client->shared[0], page);
    EXPECT_TRUE(client->got[0].ends_with("Content-Length: 10\r\n\r\n<the page>")) << client->got[0];
    EXPECT_EQ(next_path(), "/b");
    out.send(*client, r);
    EXPECT_EQ(client->shared.size(), 1U) << "a HEAD is told the length only";
    EXPECT_TRUE(client->got[1].ends_with("Content-Length: 10\r\n\r\n")) << client->got[1];
}

}  // namespace
}  // namespace floodgate::http
