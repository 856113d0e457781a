// A plain or a TLS stream as one type, so that Beast's WebSocket, which takes longer to compile
// than the rest of this folder together, is compiled once and not twice.
//
// The stream keeps its owner alive only while an operation is under way. Beast 1.81 can suspend two
// operations of a WebSocket for ever, each waiting for the other's lock, inside the stream itself.
// If their handlers kept the owner alive, the owner would keep the stream, the stream the handlers,
// and none of the three would ever be freed.

#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <boost/beast/websocket/teardown.hpp>

#include <memory>
#include <utility>
#include <variant>

namespace floodgate::http {

// Is told what happens below Beast. Called within Beast's operations, so it must start none.
class stream_owner {
public:
    virtual ~stream_owner() = default;
    virtual void on_bytes(std::size_t received) = 0;
    virtual void on_teardown() = 0;  // Beast ends the connection
};

// Only what Beast needs of a stream: reading, writing, closing.
class any_stream {
public:
    using plain = boost::asio::ip::tcp::socket;
    using tls = boost::asio::ssl::stream<plain>;
    using executor_type = plain::executor_type;
    using error_code = boost::system::error_code;

    explicit any_stream(plain s) : stream_(std::move(s)) {}
    explicit any_stream(tls s) : stream_(std::move(s)) {}

    // Before the first operation.
    void belong_to(std::weak_ptr<stream_owner> owner) { owner_ = std::move(owner); }

    plain& socket() {
        if (auto* s = std::get_if<plain>(&stream_)) return *s;
        return std::get<tls>(stream_).next_layer();
    }
    executor_type get_executor() { return socket().get_executor(); }

    template <class Buffers, class Handler>
    void async_read_some(const Buffers& to, Handler&& handler) {
        auto counted = [owner = owner_.lock(), handler = std::forward<Handler>(handler)](
                           const error_code& error, std::size_t bytes) mutable {
            if (owner) owner->on_bytes(bytes);
            handler(error, bytes);
        };
        with_stream([&](auto& s) { s.async_read_some(to, std::move(counted)); });
    }

    template <class Buffers, class Handler>
    void async_write_some(const Buffers& from, Handler&& handler) {
        with_stream(
            [&](auto& s) { s.async_write_some(from, kept_alive(std::forward<Handler>(handler))); });
    }

    friend void beast_close_socket(any_stream& s) {
        error_code ignored;
        s.socket().close(ignored);
    }

    template <class Handler>
    friend void async_teardown(boost::beast::role_type role, any_stream& of, Handler&& handler) {
        using boost::beast::websocket::async_teardown;
        if (const auto owner = of.owner_.lock()) owner->on_teardown();
        of.with_stream([&](auto& s) {
            async_teardown(role, s, of.kept_alive(std::forward<Handler>(handler)));
        });
    }

private:
    template <class Act>
    void with_stream(Act act) {
        if (auto* s = std::get_if<plain>(&stream_)) return act(*s);
        act(std::get<tls>(stream_));
    }

    template <class Handler>
    auto kept_alive(Handler&& handler) {
        return [owner = owner_.lock(),
                handler = std::forward<Handler>(handler)](auto&&... results) mutable {
            handler(std::forward<decltype(results)>(results)...);
        };
    }

    std::variant<plain, tls> stream_;
    std::weak_ptr<stream_owner> owner_;
};

}  // namespace floodgate::http
