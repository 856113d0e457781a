// Redis servers that are away, stopped, restarted, demoted or have another password: each test has
// its own.

#include <gtest/gtest.h>

#include <array>
#include <atomic>

#include "base/eventually.hpp"
#include "store/redis/dedicated_connection.hpp"
#include "store/redis/facts.hpp"
#include "store/redis/redis_fixture.hpp"

namespace floodgate::store {
namespace {

using namespace std::chrono_literals;
using steady_clock = std::chrono::steady_clock;

std::string complaint(const redis_options& options) {
    try {
        probe_redis(options);
    } catch (const std::runtime_error& e) {
        return e.what();
    }
    return "none";
}

bool says(const std::string& complaint, std::string_view what) {
    return complaint.find(what) != std::string::npos && complaint.find('\n') == std::string::npos;
}

// Until the server is found again.
bool works_soon(redis& r, const words& command) {
    return eventually([&] { return r.ask("a", command).has_value(); });
}

TEST(RedisFailure, SaysThatNobodyIsThere) {
    redis_options options;
    options.addresses = {"127.0.0.1:" + std::to_string(free_port())};
    const std::string why = complaint(options);
    EXPECT_TRUE(says(why, "nobody answers at " + options.addresses[0])) << why;
    redis r(options);
    EXPECT_EQ(r.ask("a", {"GET", "a"}).error(), errc::store_unavailable);
}

TEST(RedisFailure, SaysThatThePasswordIsWrongAndNeverSaysThePassword) {
    own_redis server({"--requirepass", "right-horse"});
    redis_options options = server.options();
    EXPECT_TRUE(says(complaint(options), "wants a password")) << complaint(options);
    options.password = "wrong-horse";
    EXPECT_TRUE(says(complaint(options), "the user or the password is wrong"));
    EXPECT_FALSE(says(complaint(options), "horse"));
    EXPECT_EQ(redis(options).ask("a", {"GET", "a"}).error(), errc::store_unavailable);
    options.password = "right-horse";
    EXPECT_EQ(complaint(options), "none");
    options.user = "default";
    redis r(options);
    EXPECT_TRUE(r.ask("a", {"GET", "a"}));
}

TEST(RedisFailure, SaysThatAPasswordIsOneTooMany) {
    own_redis server;
    redis_options options = server.options();
    options.password = "secret";
    EXPECT_TRUE(says(complaint(options), "has no password")) << complaint(options);
}

TEST(RedisFailure, ChoosesTheDatabase) {
    own_redis server;
    redis_options options = server.options();
    redis zero(options);
    options.database = 3;
    redis three(options);
    ASSERT_TRUE(three.ask("a", {"SET", "a", "3"}));
    EXPECT_TRUE(zero.ask("a", {"GET", "a"})->is_nil());
}

TEST(RedisFailure, ReadsNoSettingsWhereItMayNot) {
    own_redis server({"--rename-command", "CONFIG", "", "--appendonly", "yes"});
    const redis_facts facts = probe_redis(server.options());
    EXPECT_EQ(facts.append_fsync, "");
    EXPECT_TRUE(facts.append_only);
}

TEST(RedisFailure, FailsInTimeWhileTheServerIsStoppedAndThenAtOnce) {
    own_redis server;
    redis_options options = server.impatient();
    options.retry_after = 60'000ms;
    redis r(options);
    ASSERT_TRUE(r.ask("a", {"SET", "a", "1"}));
    server.freeze();
    auto start = steady_clock::now();
    EXPECT_EQ(r.ask("a", {"GET", "a"}).error(), errc::store_unavailable);
    EXPECT_LT(steady_clock::now() - start, 10s);
    start = steady_clock::now();
    for (int i = 0; i < 100; ++i) {
        ASSERT_FALSE(r.ask("a", {"GET", "a"}));
    }
    EXPECT_LT(steady_clock::now() - start, 15s) << "a hundred that each waited take half a minute";
    server.thaw();
}

TEST(RedisFailure, WorksAgainWhenTheServerGoesOn) {
    own_redis server;
    redis r(server.impatient());
    ASSERT_TRUE(works_soon(r, {"SET", "a", "1"}));
    server.freeze();
    ASSERT_FALSE(r.ask("a", {"GET", "a"}));
    server.thaw();
    EXPECT_TRUE(works_soon(r, {"GET", "a"}));
    EXPECT_EQ(r.ask("a", {"GET", "a"})->text, "1");
}

TEST(RedisFailure, WorksAgainAfterARestart) {
    own_redis server;
    redis r(server.options());
    ASSERT_TRUE(r.ask("a", {"SET", "a", "1"}));
    server.kill();
    EXPECT_EQ(r.ask("a", {"GET", "a"}).error(), errc::store_unavailable);
    server.start();
    EXPECT_TRUE(works_soon(r, {"GET", "a"}));
    server.kill();
    server.start();
    EXPECT_TRUE(r.ask("a", {"GET", "a"})) << "a kept connection that ended is no reason to fail";
}

TEST(RedisFailure, ALineComesBackAfterARestart) {
    own_redis server;
    redis r(server.options());
    dedicated_connection line(r);
    ASSERT_TRUE(line.ask("a", {"GET", "a"}, 0ms));
    server.kill();
    EXPECT_FALSE(line.ask("a", {"GET", "a"}, 0ms));
    server.start();
    EXPECT_TRUE(eventually([&] { return line.ask("a", {"GET", "a"}, 0ms).has_value(); }));
}

// Answers a given number of times that it is a master; hangs up on every other command.
class rude_server {
public:
    explicit rude_server(int times_master = 0) : times_master_(times_master) {
        sockaddr_in any{};
        any.sin_family = AF_INET;
        any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof any;
        auto* address = reinterpret_cast<sockaddr*>(&any);
        EXPECT_EQ(::bind(fd_, address, size), 0);
        EXPECT_EQ(::getsockname(fd_, address, &size), 0);
        EXPECT_EQ(::listen(fd_, 8), 0);
        port_ = ntohs(any.sin_port);
        thread_ = std::jthread([this] { serve(); });
    }
    ~rude_server() {
        ::shutdown(fd_, SHUT_RDWR);
        thread_.join();
        ::close(fd_);
    }
    rude_server(const rude_server&) = delete;
    rude_server& operator=(const rude_server&) = delete;
    std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
    int commands() const { return commands_; }

private:
    void serve() {
        for (;;) {
            const int peer = ::accept(fd_, nullptr, nullptr);
            if (peer < 0) return;
            while (answers(peer)) {
            }
            ::close(peer);
        }
    }
    bool answers(int peer) {
        std::array<char, 4096> bytes{};
        const ssize_t size = ::recv(peer, bytes.data(), bytes.size(), 0);
        if (size <= 0) return false;
        const std::string_view said(bytes.data(), static_cast<std::size_t>(size));
        if (said.find("ROLE") == std::string_view::npos) {
            ++commands_;
            return false;
        }
        const std::string role = times_master_-- > 0 ? "master" : "_slave";
        const std::string answer = "*1\r\n$6\r\n" + role + "\r\n";
        return ::send(peer, answer.data(), answer.size(), MSG_NOSIGNAL) > 0;
    }
    int fd_ = ::socket(AF_INET, SOCK_STREAM, 0);
    int port_ = 0;
    int times_master_;
    std::atomic<int> commands_{0};
    std::jthread thread_;
};

TEST(RedisFailure, NothingIsSentAgainThatMayHaveBeenDone) {
    rude_server server;
    redis_options options;
    options.addresses = {server.address()};
    redis r(options);
    EXPECT_EQ(r.ask("a", {"INCR", "a"}).error(), errc::store_unavailable);
    EXPECT_EQ(server.commands(), 1);
    EXPECT_EQ(r.run(redis_script("return 1"), {"a"}, {}).error(), errc::store_unavailable);
    EXPECT_EQ(server.commands(), 2);
    EXPECT_EQ(r.ask_all({{"a", {"INCR", "a"}}}).error(), errc::store_unavailable);
    EXPECT_EQ(server.commands(), 3);
    EXPECT_EQ(dedicated_connection(r).ask("a", {"INCR", "a"}, 0ms).error(),
              errc::store_unavailable);
    EXPECT_EQ(server.commands(), 4);
}

TEST(RedisFailure, NothingIsSentToAnotherThatMayHaveBeenDone) {
    rude_server first(1);
    rude_server second(1);
    redis_options options;
    options.addresses = {first.address(), second.address()};
    options.retry_after = 0ms;
    redis r(options);
    EXPECT_EQ(r.ask("a", {"INCR", "a"}).error(), errc::store_unavailable);
    EXPECT_EQ(first.commands(), 1);
    EXPECT_EQ(second.commands(), 0);
}

TEST(RedisFailure, AReplicaThatWasPromotedIsFound) {
    own_redis first;
    own_redis second({"--replicaof", "127.0.0.1 " + std::to_string(first.port()),
                      "--repl-diskless-sync-delay", "0"});
    redis_options options = first.options();
    options.addresses = {second.address(), first.address()};
    redis r(options);
    ASSERT_TRUE(works_soon(r, {"SET", "a", "1"})) << "the master is the second of the addresses";

    first.kill();
    EXPECT_FALSE(r.ask("a", {"SET", "a", "2"}));
    redis direct(second.options());
    ASSERT_TRUE(direct.ask("", {"REPLICAOF", "NO", "ONE"}));
    EXPECT_TRUE(works_soon(r, {"SET", "a", "3"}));
    EXPECT_EQ(direct.ask("a", {"GET", "a"})->text, "3");
}

TEST(RedisFailure, AMasterThatWasDemotedIsLeft) {
    own_redis first;
    own_redis second;
    redis_options options = first.options();
    options.addresses = {first.address(), second.address()};
    redis r(options);
    ASSERT_TRUE(r.ask("a", {"SET", "a", "1"}));
    redis direct(first.options());
    ASSERT_TRUE(direct.ask("", {"REPLICAOF", "127.0.0.1", std::to_string(second.port())}));
    EXPECT_TRUE(works_soon(r, {"SET", "b", "2"}));
    EXPECT_EQ(redis(second.options()).ask("b", {"GET", "b"})->text, "2");
}

TEST(RedisFailure, SaysThatNoneIsAMaster) {
    own_redis first({"--replicaof", "127.0.0.1 1"});
    own_redis second({"--replicaof", "127.0.0.1 1"});
    redis_options options = first.options();
    options.addresses = {first.address(), second.address()};
    EXPECT_TRUE(says(complaint(options), "is a master")) << complaint(options);
}

}  // namespace
}  // namespace floodgate::store
