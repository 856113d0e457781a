// For tests: a connection to a server on this machine that can be cut and mended.

#pragma once

#include <arpa/inet.h>
#include <array>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <netinet/in.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace floodgate::queue {

class cuttable_wire {
public:
    explicit cuttable_wire(const std::string& to) {
        const std::size_t colon = to.rfind(':');
        std::from_chars(to.data() + colon + 1, to.data() + to.size(), port_);
        listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address = loopback(0);
        socklen_t size = sizeof address;
        auto* any = reinterpret_cast<sockaddr*>(&address);
        if (::bind(listener_, any, size) != 0 || ::listen(listener_, 16) != 0 ||
            ::getsockname(listener_, any, &size) != 0)
            std::abort();
        address_ = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
        thread_ = std::thread([this] { work(); });
    }
    ~cuttable_wire() {
        stopping_ = true;
        thread_.join();
        ::close(listener_);
    }
    cuttable_wire(const cuttable_wire&) = delete;
    cuttable_wire& operator=(const cuttable_wire&) = delete;

    const std::string& address() const { return address_; }
    // Ends every connection, also each new one, until mend().
    void cut() { cut_ = true; }
    void mend() { cut_ = false; }
    int connections() const { return connections_; }  // so far

private:
    struct pair {
        int near = -1, far = -1;
    };

    static sockaddr_in loopback(std::uint16_t port) {
        sockaddr_in a{};
        a.sin_family = AF_INET;
        a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        a.sin_port = htons(port);
        return a;
    }

    void work() {
        std::vector<pair> pairs;
        while (!stopping_) {
            if (cut_) drop(pairs);
            std::vector<pollfd> fds{{.fd = listener_, .events = POLLIN}};
            for (const pair& p : pairs) {
                fds.push_back({.fd = p.near, .events = POLLIN});
                fds.push_back({.fd = p.far, .events = POLLIN});
            }
            constexpr int look_ms = 5;
            ::poll(fds.data(), fds.size(), look_ms);
            for (std::size_t i = 0; i < pairs.size(); ++i) {
                if (fds[1 + 2 * i].revents != 0) carry(pairs[i].near, pairs[i].far);
                if (fds[2 + 2 * i].revents != 0) carry(pairs[i].far, pairs[i].near);
            }
            if (fds[0].revents != 0) accept(pairs);
        }
        drop(pairs);
    }

    void accept(std::vector<pair>& pairs) {
        pair p{.near = ::accept(listener_, nullptr, nullptr),
               .far = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
        const sockaddr_in to = loopback(port_);
        if (cut_ || ::connect(p.far, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
            ::close(p.near);
            ::close(p.far);
            return;
        }
        ++connections_;
        pairs.push_back(p);
    }

    static void carry(int from, int to) {
        std::array<char, 65536> bytes{};
        const ssize_t got = ::recv(from, bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (got == 0) ::shutdown(to, SHUT_WR);
        for (ssize_t sent = 0; sent < got;) {
            const ssize_t n =
                ::send(to, bytes.data() + sent, static_cast<std::size_t>(got - sent), MSG_NOSIGNAL);
            if (n <= 0) return;
            sent += n;
        }
    }

    static void drop(std::vector<pair>& pairs) {
        for (const pair& p : pairs) {
            ::close(p.near);
            ::close(p.far);
        }
        pairs.clear();
    }

    std::uint16_t port_ = 0;
    int listener_ = -1;
    std::string address_;
    std::atomic<bool> cut_{false}, stopping_{false};
    std::atomic<int> connections_{0};
    std::thread thread_;
};

}  // namespace floodgate::queue
