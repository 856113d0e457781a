#include "http/connections.hpp"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <cerrno>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http/answers.hpp"
#include "http/listening.hpp"

namespace floodgate::http {
namespace {

using std::chrono::seconds;

constexpr const char* half_a_request = "GET /a HT";
constexpr const char* whole_request = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n";

// A client on loopback, from an address of its own.
class loopback_client {
public:
    loopback_client(const std::string& to, const std::string& from = "127.0.0.1")
        : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        const timeval patience{.tv_sec = 20, .tv_usec = 0};
        setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        const sockaddr_in ours = address(from, 0);
        EXPECT_EQ(bind(fd_, reinterpret_cast<const sockaddr*>(&ours), sizeof ours), 0);
        const std::size_t colon = to.rfind(':');
        const sockaddr_in theirs = address(
            to.substr(0, colon), static_cast<std::uint16_t>(std::stoi(to.substr(colon + 1))));
        EXPECT_EQ(connect(fd_, reinterpret_cast<const sockaddr*>(&theirs), sizeof theirs), 0);
    }
    ~loopback_client() { close(fd_); }
    loopback_client(const loopback_client&) = delete;
    loopback_client& operator=(const loopback_client&) = delete;

    void say(std::string_view text) {
        EXPECT_EQ(send(fd_, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    }
    // Everything until the server has closed.
    std::string hear_to_the_end() {
        std::string out;
        char part[4096];
        for (ssize_t got = 0; (got = recv(fd_, part, sizeof part, 0)) > 0;)
            out.append(part, static_cast<std::size_t>(got));
        return out;
    }
    bool is_connected() {
        char byte = 0;
        return recv(fd_, &byte, 1, MSG_DONTWAIT | MSG_PEEK) < 0 && errno == EAGAIN;
    }

private:
    static sockaddr_in address(const std::string& host, std::uint16_t port) {
        sockaddr_in out{};
        out.sin_family = AF_INET;
        out.sin_port = htons(port);
        inet_pton(AF_INET, host.c_str(), &out.sin_addr);
        return out;
    }
    int fd_;
};

class ConnectionsTest : public testing::Test {
protected:
    void open(std::size_t connections_max, client_limits limits = {}) {
        counts_.emplace(limits);
        all_.emplace(io_,
                     loop_options{.limits = {}, .timeouts = {}, .connections_max = connections_max},
                     out_, connections::world{proxies_, *counts_, nullptr},
                     connections::hooks{.progress = {},
                                        .closed = [](connection_id) {},
                                        .body_bytes_wanted = [](const request&) { return 0; }});
        const listening_sockets listening = listen_on("127.0.0.1:0", 1);
        address_ = listening.address;
        all_->listen(listening.descriptors.front(), false);
    }
    figures figures_now() const {
        figures f;
        all_->add_to(f);
        out_.add_to(f);
        return f;
    }
    // Lets the loop accept until `count` clients were accepted or refused.
    void accept(std::uint64_t count) {
        const auto deadline = steady::now() + seconds(20);
        while (figures_now().accepted + figures_now().refused < count) {
            ASSERT_LT(steady::now(), deadline);
            io_.restart();
            io_.poll();
        }
        all_->free_closed();
    }
    // Lets the loop read what its clients have sent.
    void read() {
        for (const auto& e : all_->poller().poll())
            if (connection* who = all_->find(e.id)) {
                who->on_ready(e.readable, e.writable);
                who->next();
            }
    }

    boost::asio::io_context io_{1};
    answers out_;
    guard::trusted_proxies proxies_;
    std::optional<client_counts> counts_;
    std::string address_;
    std::optional<connections> all_;
};

TEST_F(ConnectionsTest, TheLongestIdleMakesRoomForANewOne) {
    open(2);
    loopback_client first(address_);
    accept(1);
    loopback_client second(address_);
    accept(2);
    loopback_client third(address_);
    accept(3);
    EXPECT_EQ(first.hear_to_the_end(), "");
    EXPECT_TRUE(second.is_connected());
    EXPECT_TRUE(third.is_connected());
    EXPECT_EQ(figures_now().made_room, 1U);
    EXPECT_EQ(figures_now().connections, 2U);
    EXPECT_EQ(figures_now().refused, 0U);
}

TEST_F(ConnectionsTest, OneWithHalfARequestDoesNotMakeRoom) {
    open(2);
    loopback_client first(address_);
    accept(1);
    first.say(half_a_request);
    read();
    loopback_client second(address_), third(address_);
    accept(3);
    EXPECT_TRUE(first.is_connected());
    EXPECT_EQ(second.hear_to_the_end(), "");
    EXPECT_TRUE(third.is_connected());
}

TEST_F(ConnectionsTest, OneWhoseRequestIsUnreadDoesNotMakeRoom) {
    open(2);
    loopback_client first(address_);
    accept(1);
    loopback_client second(address_);
    accept(2);
    first.say(whole_request);
    loopback_client third(address_);
    accept(3);
    EXPECT_TRUE(first.is_connected());
    EXPECT_EQ(second.hear_to_the_end(), "");
}

TEST_F(ConnectionsTest, WithoutAnIdleOneTheNewOneIsToldToComeAgain) {
    open(1);
    loopback_client first(address_);
    accept(1);
    first.say(half_a_request);
    read();
    loopback_client second(address_);
    accept(2);
    const std::string heard = second.hear_to_the_end();
    EXPECT_TRUE(heard.starts_with("HTTP/1.1 503 ")) << heard;
    EXPECT_NE(heard.find("\"retry_after_ms\""), std::string::npos) << heard;
    EXPECT_TRUE(first.is_connected());
    EXPECT_EQ(figures_now().refused, 1U);
    EXPECT_EQ(figures_now().by_status[503], 1U);
}

TEST_F(ConnectionsTest, OneAddressHasSoManyAndNoMore) {
    open(100, {.per_address_max = 2});
    std::optional<loopback_client> first(std::in_place, address_, "127.0.0.2");
    loopback_client second(address_, "127.0.0.2"), third(address_, "127.0.0.2");
    accept(3);
    EXPECT_TRUE(third.hear_to_the_end().starts_with("HTTP/1.1 503 "));
    EXPECT_EQ(figures_now().refused_by_address, 1U);
    EXPECT_EQ(figures_now().refused, 1U);
    EXPECT_EQ(figures_now().made_room, 0U);
    loopback_client other(address_, "127.0.0.3");
    accept(4);
    EXPECT_TRUE(other.is_connected());

    first.reset();
    const auto deadline = steady::now() + seconds(20);
    while (figures_now().connections > 2 && steady::now() < deadline) read();
    loopback_client again(address_, "127.0.0.2");
    accept(5);
    EXPECT_TRUE(again.is_connected()) << "its place was free again";
}

TEST_F(ConnectionsTest, AProxyOfOursMayHaveAnyNumber) {
    proxies_ = guard::trusted_proxies(std::vector<std::string>{"127.0.0.2"});
    open(100, {.per_address_max = 1});
    loopback_client first(address_, "127.0.0.2"), second(address_, "127.0.0.2");
    accept(2);
    EXPECT_EQ(figures_now().refused, 0U);
    EXPECT_EQ(figures_now().connections, 2U);
}

TEST_F(ConnectionsTest, AreNoMoreThanThereAreDescriptorsFor) {
    open(100, {.clients_max = 1});
    loopback_client first(address_);
    accept(1);
    loopback_client second(address_);
    accept(2);
    EXPECT_EQ(first.hear_to_the_end(), "") << "it was idle";
    second.say(half_a_request);
    read();
    loopback_client third(address_);
    accept(3);
    EXPECT_TRUE(third.hear_to_the_end().starts_with("HTTP/1.1 503 "));
}

// While an object of this class lives, no new descriptor can be opened.
class no_more_descriptors {
public:
    no_more_descriptors() {
        getrlimit(RLIMIT_NOFILE, &before_);
        const int next = dup(STDIN_FILENO);
        close(next);
        const rlimit none{.rlim_cur = static_cast<rlim_t>(next), .rlim_max = before_.rlim_max};
        EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    }
    ~no_more_descriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
    no_more_descriptors(const no_more_descriptors&) = delete;
    no_more_descriptors& operator=(const no_more_descriptors&) = delete;

private:
    rlimit before_{};
};

// Regression (H2): the client waited in the queue without an answer.
TEST_F(ConnectionsTest, WithoutADescriptorTheClientIsToldSo) {
    open(100);
    loopback_client first(address_), second(address_);
    {
        const no_more_descriptors now;
        accept(2);
    }
    EXPECT_TRUE(first.hear_to_the_end().starts_with("HTTP/1.1 503 "));
    EXPECT_TRUE(second.hear_to_the_end().starts_with("HTTP/1.1 503 "));
    all_->accept_again();
    loopback_client third(address_);
    accept(3);
    EXPECT_TRUE(third.is_connected());
}

TEST_F(ConnectionsTest, WithoutADescriptorAnIdleOneGivesItsOwn) {
    open(100);
    loopback_client first(address_);
    accept(1);
    loopback_client second(address_);
    {
        const no_more_descriptors now;
        accept(2);
    }
    EXPECT_EQ(first.hear_to_the_end(), "");
    EXPECT_TRUE(second.is_connected());
    EXPECT_EQ(figures_now().refused, 0U);
}

}  // namespace
}  // namespace floodgate::http
