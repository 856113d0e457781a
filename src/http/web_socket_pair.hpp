// For tests and the fuzzer: two connected sockets, with a real WebSocket at one end and a client
// that may send anything at the other. Nothing waits: run() does what can be done now.

#pragma once

#include <boost/asio/io_context.hpp>

#include <array>
#include <cerrno>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

#include "http/web_socket_stream.hpp"

namespace floodgate::http {

// A frame as a client sends it, masked with zeros. `first` is its first byte.
inline std::string client_frame(unsigned first, std::string_view payload = {}) {
    std::string out{static_cast<char>(first)};
    const bool is_long = payload.size() > 125;
    out += static_cast<char>(0x80U | (is_long ? 126U : payload.size()));
    if (is_long) {
        out += static_cast<char>(payload.size() >> 8U);
        out += static_cast<char>(payload.size() & 0xffU);
    }
    return out.append(4, '\0').append(payload);
}

class web_socket_pair {
public:
    // The handshake is done.
    web_socket_pair() {
        std::array<int, 2> ends{};
        // Asio accepts this although it is not TCP, and it needs no port.
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) != 0)
            throw std::system_error(errno, std::generic_category(), "socketpair");
        client_ = ends[0];
        boost::asio::ip::tcp::socket server(io_, boost::asio::ip::tcp::v4(), ends[1]);
        const auto request = read_upgrade(
            "GET /api/v1/ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n");
        room_ = make_web_socket(std::move(server), {options_, count_, leaving_}, *request,
                                counts_.add());
        watched_ = room_;
        room_->open([this] {
            ++ended;
            room_.reset();
        });
        run();
    }
    ~web_socket_pair() { hang_up(); }
    web_socket_pair(const web_socket_pair&) = delete;
    web_socket_pair& operator=(const web_socket_pair&) = delete;

    // Sends as the client. Bytes that the server does not take are lost.
    void send(std::string_view bytes) {
        (void)::send(client_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    }
    void finish() { shutdown(client_, SHUT_WR); }
    void hang_up() {
        if (client_ >= 0) ::close(client_);
        client_ = -1;
    }
    // Everything that has arrived so far.
    const std::string& received() {
        std::array<char, 4096> some;
        for (ssize_t n = 0; (n = recv(client_, some.data(), some.size(), 0)) > 0;)
            received_.append(some.data(), static_cast<std::size_t>(n));
        return received_;
    }

    // Runs the server.
    void run() {
        do io_.restart();
        while (io_.poll() > 0);
    }
    // Cuts the sockets that did not close in time, as the room's tick does.
    void cut_leaving() {
        for (; !leaving_.empty(); leaving_.pop_front())
            if (const auto who = leaving_.front().who.lock()) who->cut();
        run();
    }
    std::shared_ptr<push::web_socket> socket() const { return watched_.lock(); }
    bool is_freed() const { return watched_.expired(); }
    bool is_counted() const { return counts_.too_many(); }

    int ended = 0;

private:
    client_counts counts_{{.clients_max = 0}};  // one is too many
    boost::asio::io_context io_{1};
    push::socket_options options_;
    push::mailroom::counters count_;
    std::deque<push::farewell> leaving_;
    std::shared_ptr<push::web_socket> room_;  // until it has ended
    std::weak_ptr<push::web_socket> watched_;
    int client_ = -1;
    std::string received_;
};

}  // namespace floodgate::http
