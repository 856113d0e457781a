#include "http/web_socket_stream.hpp"

#include <boost/asio/post.hpp>
#include <boost/beast/websocket/stream.hpp>

#include <array>
#include <chrono>

#include "http/any_stream.hpp"

namespace floodgate::http {
namespace {

namespace asio = boost::asio;
namespace ws = boost::beast::websocket;
using boost::beast::error_code;

constexpr std::size_t message_bytes_max = 1024;
constexpr auto handshake_time = std::chrono::seconds(5);  // also for closing
// The bytes that the kernel buffers for a client that does not read; by default megabytes.
constexpr int kernel_bytes = 65'536;

// No handler keeps the socket alive: see any_stream.hpp.
class beast_socket final : public push::web_socket, public stream_owner {
public:
    beast_socket(any_stream stream, const push::socket_world& w, const upgrade_request& r,
                 client_place place)
        : push::web_socket(w),
          place_(std::move(place)),
          stream_(std::move(stream)),
          request_(std::make_unique<upgrade_request>(r)) {
        // A ping goes out when half of the idle time has passed in silence.
        stream_.set_option(ws::stream_base::timeout{handshake_time, 2 * w.options.heartbeat, true});
        stream_.set_option(ws::stream_base::decorator([](ws::response_type& out) {
            out.set(boost::beast::http::field::server, "floodgate");
        }));
        stream_.read_message_max(message_bytes_max);
        stream_.auto_fragment(false);
        stream_.text(true);
        error_code ignored;
        stream_.next_layer().socket().set_option(asio::socket_base::send_buffer_size(kernel_bytes),
                                                 ignored);
    }

private:
    std::weak_ptr<beast_socket> self() {
        return std::static_pointer_cast<beast_socket>(shared_from_this());
    }

    void accept() override {
        stream_.next_layer().belong_to(self());
        stream_.control_callback([this](ws::frame_type what, boost::beast::string_view) {
            if (what != ws::frame_type::close && note_received(1, 0)) end_flood();
        });
        stream_.async_accept(request_->message, [weak = self()](const error_code& e) {
            if (const auto me = weak.lock()) me->on_open(!e);
        });
        request_.reset();
    }

    void read() override {
        stream_.async_read_some(asio::buffer(piece_),
                                [weak = self()](const error_code& e, std::size_t bytes) {
                                    if (const auto me = weak.lock()) me->on_read(e, bytes);
                                });
    }

    // After close(), Beast itself reads until the client's close frame. Another read beside it
    // could take a frame that only Beast's can answer, and each would wait for the other.
    void on_read(const error_code& error, std::size_t bytes) {
        if (error) return on_end();
        message_.append(piece_.data(), bytes);
        if (stream_.is_message_done()) {
            on_message(std::exchange(message_, {}), stream_.got_text());
        }
        if (!closing()) read();
    }

    void write(const std::string& message) override {
        stream_.async_write(asio::buffer(message),
                            [weak = self()](const error_code& e, std::size_t) {
                                if (const auto me = weak.lock()) me->on_written(!e);
                            });
    }

    void send_close(push::close_code code, std::string_view why) override {
        const ws::close_reason reason(static_cast<ws::close_code>(code), why);
        stream_.async_close(reason, [weak = self()](const error_code&) {
            if (const auto me = weak.lock()) me->on_end();
        });
    }

    void on_bytes(std::size_t received) override {
        if (note_received(0, received)) end_flood();
    }
    void on_teardown() override { on_leaving(); }

    // Must not be called within the read that found the flood.
    void end_flood() {
        asio::post(stream_.get_executor(), [weak = self()] {
            if (const auto me = weak.lock()) me->on_flood();
        });
    }

    void drop() override {
        error_code ignored;
        stream_.next_layer().socket().close(ignored);
        place_.leave();
    }

    client_place place_;
    ws::stream<any_stream, false> stream_;
    std::unique_ptr<upgrade_request> request_;  // until accept()
    std::array<char, 128> piece_;               // small: a ping fits, and every idle socket has one
    std::string message_;
};

}  // namespace

std::shared_ptr<push::web_socket> make_web_socket(asio::ip::tcp::socket stream,
                                                  const push::socket_world& w,
                                                  const upgrade_request& r, client_place place) {
    return std::make_shared<beast_socket>(any_stream(std::move(stream)), w, r, std::move(place));
}

std::shared_ptr<push::web_socket> make_web_socket(asio::ssl::stream<asio::ip::tcp::socket> stream,
                                                  const push::socket_world& w,
                                                  const upgrade_request& r, client_place place) {
    return std::make_shared<beast_socket>(any_stream(std::move(stream)), w, r, std::move(place));
}

}  // namespace floodgate::http
