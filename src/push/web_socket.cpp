#include "push/web_socket.hpp"

#include <boost/json/parse.hpp>

#include <utility>

namespace floodgate::push {
namespace {

constexpr std::uint32_t frames_a_second_max = 10;   // messages, pings and pongs
constexpr std::size_t bytes_a_second_max = 16'384;  // with the frames' heads: more than these fill
// The bytes that are read and thrown away while a socket closes: enough for everything that the
// client had sent before it got the close frame.
constexpr std::size_t goodbye_bytes_max = 262'144;
constexpr auto goodbye_time = std::chrono::seconds(3);

bool is_ping(std::string_view message) {
    boost::system::error_code error;
    const auto parsed = boost::json::parse(message, error);
    if (error || !parsed.is_object() || parsed.get_object().size() != 1) return false;
    const auto* type = parsed.get_object().if_contains("type");
    return type && type->is_string() && type->get_string() == "ping";
}

}  // namespace

void web_socket::open(std::function<void()> ended) {
    ended_ = std::move(ended);
    accept();
}

void web_socket::on_open(bool fine) {
    if (!fine || closing_) return on_end();
    open_ = true;
    read();
    pump();
}

void web_socket::say(text message) {
    if (closing_) return;
    const std::size_t size = message->size();
    if (unsent_.size() >= world_.options.unsent_messages_max ||
        unsent_bytes_ + size > world_.options.unsent_bytes_max) {
        ++world_.count.overflowed;
        return close(close_code::come_again, "too slow");
    }
    unsent_bytes_ += size;
    unsent_.push_back(std::move(message));
    pump();
}

void web_socket::pump() {
    if (!open_ || writing_ || closing_ || unsent_.empty()) return;
    writing_ = true;
    write(*unsent_.front());
}

void web_socket::on_written(bool fine) {
    writing_ = false;
    if (!fine) return on_end();
    ++world_.count.messages;
    unsent_bytes_ -= unsent_.front()->size();
    unsent_.erase(unsent_.begin());
    if (unsent_.empty()) unsent_ = {};  // most sockets are idle most of the time
    pump();
}

// A text that is not a known message closes the socket, like too many messages.
void web_socket::on_message(std::string_view message, bool is_text) {
    if (closing_) return;
    if (!is_text) return close(close_code::not_text, "text only");
    if (note_received(1, 0)) return on_flood();
    if (!is_ping(message)) return close(close_code::not_understood, "only a ping is understood");
    static const auto pong = std::make_shared<const std::string>(R"({"type":"pong"})");
    say(pong);
}

bool web_socket::note_received(std::uint32_t frames, std::size_t bytes) {
    const auto now = clock::now();
    if (!closing_ && now - second_began_ >= std::chrono::seconds(1)) {
        second_began_ = now;
        frames_ = 0;
        bytes_ = 0;
    }
    frames_ += frames;
    bytes_ += bytes;
    if (closing_) return bytes_ > goodbye_bytes_max;
    return frames_ > frames_a_second_max || bytes_ > bytes_a_second_max;
}

void web_socket::on_flood() {
    if (!closing_) return close(close_code::not_understood, "too many messages");
    if (bytes_ > goodbye_bytes_max) cut();
}

// Messages that are not yet being sent are dropped; the next hello has their content.
void web_socket::close(close_code code, std::string_view why) {
    if (closing_) return;
    if (!open_) return cut();
    if (unsent_.size() > 1) unsent_.erase(unsent_.begin() + (writing_ ? 1 : 0), unsent_.end());
    on_leaving();
    send_close(code, why);
}

void web_socket::on_leaving() {
    if (std::exchange(closing_, true)) return;
    world_.leaving.push_back({clock::now() + goodbye_time, weak_from_this()});
}

void web_socket::cut() {
    closing_ = true;
    const auto ended = std::exchange(ended_, nullptr);
    if (!ended) return;
    const auto me = shared_from_this();  // `ended` may drop the last reference
    drop();
    ended();
}

}  // namespace floodgate::push
