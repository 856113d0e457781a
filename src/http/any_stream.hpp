// A bare or a TLS stream as one type, so that Beast's WebSocket, which takes longer to compile than
// the rest of this folder together, is compiled once and not for each of them.

#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <boost/beast/websocket/teardown.hpp>

#include <utility>
#include <variant>

namespace floodgate::http {

// What Beast asks of a stream, and not more: reading, writing, closing.
class any_stream {
public:
    using plain = boost::asio::ip::tcp::socket;
    using tls = boost::asio::ssl::stream<plain>;
    using executor_type = plain::executor_type;

    explicit any_stream(plain s) : stream_(std::move(s)) {}
    explicit any_stream(tls s) : stream_(std::move(s)) {}

    plain& socket() {
        if (auto* s = std::get_if<plain>(&stream_)) return *s;
        return std::get<tls>(stream_).next_layer();
    }
    executor_type get_executor() { return socket().get_executor(); }

    template <class Buffers, class Handler>
    void async_read_some(const Buffers& to, Handler&& handler) {
        if (auto* s = std::get_if<plain>(&stream_)) {
            s->async_read_some(to, std::forward<Handler>(handler));
        } else {
            std::get<tls>(stream_).async_read_some(to, std::forward<Handler>(handler));
        }
    }

    template <class Buffers, class Handler>
    void async_write_some(const Buffers& from, Handler&& handler) {
        if (auto* s = std::get_if<plain>(&stream_)) {
            s->async_write_some(from, std::forward<Handler>(handler));
        } else {
            std::get<tls>(stream_).async_write_some(from, std::forward<Handler>(handler));
        }
    }

    friend void beast_close_socket(any_stream& s) {
        boost::system::error_code ignored;
        s.socket().close(ignored);
    }

    template <class Handler>
    friend void async_teardown(boost::beast::role_type role, any_stream& of, Handler&& handler) {
        using boost::beast::websocket::async_teardown;
        if (auto* s = std::get_if<plain>(&of.stream_)) {
            async_teardown(role, *s, std::forward<Handler>(handler));
        } else {
            async_teardown(role, std::get<tls>(of.stream_), std::forward<Handler>(handler));
        }
    }

private:
    std::variant<plain, tls> stream_;
};

}  // namespace floodgate::http
