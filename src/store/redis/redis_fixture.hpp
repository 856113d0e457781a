// Redis servers for tests: shared ones that the environment names, and servers of a single test,
// which it may stop and kill.

#pragma once

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <netinet/in.h>
#include <random>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "store/redis/free_port.hpp"
#include "store/redis/redis.hpp"

namespace floodgate::store {

// A prefix for every key of a test, so that tests may share a server.
inline std::string random_name(const std::string& prefix = "test") {
    return prefix + std::to_string(std::random_device{}()) + std::to_string(::getpid());
}

// FLOODGATE_TEST_REDIS or FLOODGATE_TEST_REDIS_CLUSTER; no addresses: it is not set.
inline redis_options shared_redis(bool cluster) {
    const char* name = cluster ? "FLOODGATE_TEST_REDIS_CLUSTER" : "FLOODGATE_TEST_REDIS";
    const char* address = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    redis_options options;
    options.addresses.clear();
    if (address != nullptr) options.addresses.emplace_back(address);
    options.cluster = cluster;
    // Nobody stops these servers: whatever takes long is the machine being busy.
    options.connect_timeout = options.command_timeout = milliseconds(10'000);
    return options;
}

#define FLOODGATE_NEED_REDIS(cluster)                                                     \
    if (::floodgate::store::shared_redis(cluster).addresses.empty())                      \
    GTEST_SKIP() << ((cluster) ? "FLOODGATE_TEST_REDIS_CLUSTER" : "FLOODGATE_TEST_REDIS") \
                 << " is not set: scripts/test starts the servers and sets it"

// A redis-server of a test's own, killed with it. Its data stay until then.
class own_redis {
public:
    explicit own_redis(std::vector<std::string> more = {}) : more_(std::move(more)) {
        std::string made = (std::filesystem::temp_directory_path() / "fg-redis-XXXXXX").string();
        if (::mkdtemp(made.data()) == nullptr) std::abort();
        folder_ = made;
        start();
    }
    ~own_redis() {
        kill();
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    own_redis(const own_redis&) = delete;
    own_redis& operator=(const own_redis&) = delete;

    void start() {
        std::vector<std::string> line{"redis-server", "--port",        std::to_string(port_),
                                      "--bind",       "127.0.0.1",     "--dir",
                                      folder_,        "--save",        "",
                                      "--logfile",    folder_ + "/log"};
        line.insert(line.end(), more_.begin(), more_.end());
        std::vector<char*> argv;
        argv.reserve(line.size() + 1);
        for (std::string& word : line) argv.push_back(word.data());
        argv.push_back(nullptr);
        const pid_t child = ::fork();
        if (child == 0) {
            ::execvp(argv[0], argv.data());
            ::_exit(127);
        }
        pid_ = child;
        wait_until_listening();
    }
    void kill() {
        const pid_t child = pid_;
        if (child <= 0) return;
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        pid_ = 0;
    }
    void freeze() const { ::kill(pid_, SIGSTOP); }
    void thaw() const { ::kill(pid_, SIGCONT); }

    int port() const { return port_; }
    std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
    redis_options options() const { return options(milliseconds(5000)); }
    // For the client under test, where the server is frozen: each call waits this long for nothing.
    redis_options impatient() const { return options(milliseconds(300)); }

private:
    redis_options options(milliseconds timeout) const {
        redis_options out;
        out.addresses = {address()};
        out.connect_timeout = out.command_timeout = timeout;
        out.retry_after = milliseconds(50);
        return out;
    }
    void wait_until_listening() const {
        for (int i = 0; i < 500; ++i) {
            const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
            sockaddr_in to{};
            to.sin_family = AF_INET;
            to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
            to.sin_port = htons(static_cast<std::uint16_t>(port_));
            const bool there = ::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
            ::close(fd);
            if (there) return;
            std::this_thread::sleep_for(milliseconds(20));
        }
        ADD_FAILURE() << "redis-server did not start";
    }

    std::vector<std::string> more_;
    std::string folder_;
    int port_ = free_port();
    std::atomic<pid_t> pid_{0};  // a relay's thread may kill it
};

}  // namespace floodgate::store
