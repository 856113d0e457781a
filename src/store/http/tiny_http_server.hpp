// For tests: an HTTP server on a free loopback port that answers what it is told to, one connection
// after the other, and remembers what it was asked.

#pragma once

#include <arpa/inet.h>
#include <deque>
#include <mutex>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace floodgate::store {

class tiny_http_server {
public:
    struct request {
        std::string head;
        std::string body;

        std::string header(const std::string& name) const {
            const std::size_t at = head.find("\r\n" + name + ": ");
            if (at == std::string::npos) return {};
            const std::size_t begin = at + name.size() + 4;
            return head.substr(begin, head.find("\r\n", begin) - begin);
        }
    };
    // An answer that never comes: the connection is held open until the end.
    static constexpr const char* silence = "";

    static std::string answer(int status, const std::string& headers = "",
                              const std::string& body = "") {
        return "HTTP/1.1 " + std::to_string(status) +
               " X\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) +
               "\r\n" + headers + "\r\n" + body;
    }

    // Leaves the connection open for the next request.
    static std::string keep_open(int status) {
        return "HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Length: 0\r\n\r\n";
    }

    // One answer after the other, the last one again and again.
    explicit tiny_http_server(std::deque<std::string> answers) : answers_(std::move(answers)) {
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof at;
        auto* name = reinterpret_cast<sockaddr*>(&at);
        listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (::bind(listener_, name, size) != 0 || ::listen(listener_, 64) != 0 ||
            ::getsockname(listener_, name, &size) != 0 || ::pipe(end_) != 0)
            throw std::runtime_error("no loopback socket");
        port_ = ntohs(at.sin_port);
        thread_ = std::thread([this] { serve(); });
    }
    ~tiny_http_server() {
        ::close(end_[1]);
        thread_.join();
        for (const int fd : held_open_) ::close(fd);
        ::close(end_[0]);
        ::close(listener_);
    }
    tiny_http_server(const tiny_http_server&) = delete;
    tiny_http_server& operator=(const tiny_http_server&) = delete;

    std::string url(const std::string& path = "/hook") const {
        return "http://127.0.0.1:" + std::to_string(port_) + path;
    }
    std::vector<request> requests() {
        const std::scoped_lock lock(mutex_);
        return requests_;
    }
    int connections() {
        const std::scoped_lock lock(mutex_);
        return connections_;
    }

private:
    bool readable(int fd) const {  // false: the end has come
        pollfd wait[] = {{fd, POLLIN, 0}, {end_[0], POLLIN, 0}};
        ::poll(wait, 2, -1);
        return wait[1].revents == 0;
    }
    void serve() {
        while (readable(listener_)) {
            const int fd = ::accept(listener_, nullptr, nullptr);
            if (fd < 0) return;
            {
                const std::scoped_lock lock(mutex_);
                ++connections_;
            }
            while (answer_one(fd)) continue;
        }
    }
    bool answer_one(int fd) {  // true: another request may come on this connection
        const std::string all = read_request(fd);
        const std::string said = all.empty() ? std::string() : choose(all);
        if (!all.empty() && said.empty()) {
            held_open_.push_back(fd);
            return false;
        }
        // The client may have hung up by now, which is no error here.
        static_cast<void>(::send(fd, said.data(), said.size(), MSG_NOSIGNAL));
        const bool last = all.empty() || said.find("Connection: close") != std::string::npos;
        if (last) ::close(fd);
        return !last;
    }
    std::string read_request(int fd) const {  // empty: the client has hung up, or the end has come
        std::string all;
        while (!complete(all) && readable(fd)) {
            char bytes[4096];
            const ssize_t n = ::recv(fd, bytes, sizeof bytes, 0);
            if (n <= 0) break;
            all.append(bytes, static_cast<std::size_t>(n));
        }
        return all;
    }
    std::string choose(const std::string& all) {
        const std::size_t split = all.find("\r\n\r\n");
        const std::scoped_lock lock(mutex_);
        if (split != std::string::npos)
            requests_.push_back({all.substr(0, split + 2), all.substr(split + 4)});
        std::string said = answers_.front();
        if (answers_.size() > 1) answers_.pop_front();
        return said;
    }
    static bool complete(const std::string& all) {
        const std::size_t split = all.find("\r\n\r\n");
        if (split == std::string::npos) return false;
        const request r{all.substr(0, split + 2), ""};
        const std::string length = r.header("Content-Length");
        return all.size() - split - 4 >= (length.empty() ? 0 : std::stoul(length));
    }

    int listener_ = -1;
    int end_[2] = {-1, -1};
    int port_ = 0;
    std::mutex mutex_;
    int connections_ = 0;
    std::deque<std::string> answers_;
    std::vector<request> requests_;
    std::vector<int> held_open_;
    std::thread thread_;
};

}  // namespace floodgate::store
