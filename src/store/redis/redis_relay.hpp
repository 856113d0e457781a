// For tests: a relay between a client and a Redis server that can lose an answer. Then the command
// is executed, the answer is thrown away, and the connection is closed.

#pragma once

#include <arpa/inet.h>
#include <array>
#include <atomic>
#include <functional>
#include <mutex>
#include <netinet/in.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace floodgate::store {

class redis_relay {
public:
    explicit redis_relay(int server_port) : server_port_(server_port) {
        listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in at = loopback(0);
        socklen_t size = sizeof at;
        auto* any = reinterpret_cast<sockaddr*>(&at);
        if (::bind(listener_, any, size) != 0 || ::listen(listener_, 64) != 0 ||
            ::getsockname(listener_, any, &size) != 0)
            std::abort();
        port_ = ntohs(at.sin_port);
        thread_ = std::thread([this] { work(); });
    }
    ~redis_relay() {
        stop_ = true;
        thread_.join();
        for (const pair& p : pairs_) hang_up(p);
        ::close(listener_);
    }
    redis_relay(const redis_relay&) = delete;
    redis_relay& operator=(const redis_relay&) = delete;

    std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
    // The next answer that a server gives. `then` runs before the connection is closed.
    void swallow_next_answer(std::function<void()> then = [] {}) {
        const std::lock_guard lock(mutex_);
        then_ = std::move(then);
        swallow_ = true;
    }
    int swallowed() const { return swallowed_; }

private:
    struct pair {
        int client = -1, server = -1;
    };

    static sockaddr_in loopback(int port) {
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        at.sin_port = htons(static_cast<std::uint16_t>(port));
        return at;
    }
    static void hang_up(const pair& p) {
        ::close(p.client);
        ::close(p.server);
    }
    void accept_one() {
        pair p{::accept(listener_, nullptr, nullptr), ::socket(AF_INET, SOCK_STREAM, 0)};
        const sockaddr_in to = loopback(server_port_);
        if (::connect(p.server, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0)
            return pairs_.push_back(p);
        hang_up(p);
    }
    static bool pass_on(int from, int to) {
        const ssize_t n = ::recv(from, buffer().data(), buffer().size(), 0);
        return n > 0 && ::send(to, buffer().data(), static_cast<std::size_t>(n), MSG_NOSIGNAL) == n;
    }
    bool swallow(const pair& p) {
        if (!swallow_.exchange(false)) return false;
        (void)!::recv(p.server, buffer().data(), buffer().size(), 0);
        ++swallowed_;
        const std::lock_guard lock(mutex_);
        then_();
        return true;
    }
    static std::array<char, 65536>& buffer() {
        thread_local std::array<char, 65536> bytes;
        return bytes;
    }
    void work() {
        while (!stop_) {
            std::vector<pollfd> watched{{listener_, POLLIN, 0}};
            for (const pair& p : pairs_) {
                watched.push_back({p.client, POLLIN, 0});
                watched.push_back({p.server, POLLIN, 0});
            }
            if (::poll(watched.data(), watched.size(), 20) <= 0) continue;
            std::vector<pair> kept;
            for (std::size_t i = 0; i < pairs_.size(); ++i) {
                const pair p = pairs_[i];
                bool well = true;
                if (watched[2 * i + 1].revents != 0) well = pass_on(p.client, p.server);
                if (well && watched[2 * i + 2].revents != 0)
                    well = !swallow(p) && pass_on(p.server, p.client);
                if (well) {
                    kept.push_back(p);
                } else {
                    hang_up(p);
                }
            }
            pairs_ = kept;
            if (watched[0].revents != 0) accept_one();
        }
    }

    const int server_port_;
    int listener_ = -1, port_ = 0;
    std::vector<pair> pairs_;
    std::mutex mutex_;
    std::function<void()> then_;
    std::atomic<bool> stop_ = false, swallow_ = false;
    std::atomic<int> swallowed_ = 0;
    std::thread thread_;
};

}  // namespace floodgate::store
