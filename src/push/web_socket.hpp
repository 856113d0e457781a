// One WebSocket: what its client may send, what is not sent to it yet, and how it ends.
//
// The loop's thread only. The stream below, plain or TLS, is in http/web_socket_stream.cpp;
// compression is left out, since it would cost every idle socket its windows.

#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "push/mailroom.hpp"

namespace floodgate::push {

// Why a socket is closed: RFC 6455's numbers, and ours from 4000.
enum class close_code : std::uint16_t {
    going_away = 1001,      // shape: zero does not come up: the numbers are the protocol's
    not_text = 1003,        // binary
    not_understood = 1008,  // not a known message, or too many messages
    come_again = 1013,      // the client was too slow, or news was missed; the next hello has it
    replaced = 4000,        // the same user has opened too many
    logged_out = 4001,      // the log-in has ended: log-out, new password, or it has expired
    account_disabled = 4003,
};

class web_socket;

// A socket that is closing, and when its time to close is over. Beast sets no time limit if the
// close frame waits behind a message that the client does not take.
struct farewell {
    std::chrono::steady_clock::time_point cut_at;
    std::weak_ptr<web_socket> who;
};

// What the sockets of one loop share.
struct socket_world {
    const socket_options& options;
    mailroom::counters& count;
    std::deque<farewell>& leaving;
};

class web_socket : public std::enable_shared_from_this<web_socket> {
public:
    using text = std::shared_ptr<const std::string>;
    using clock = std::chrono::steady_clock;

    explicit web_socket(const socket_world& w) : world_(w) {}
    virtual ~web_socket() = default;

    // Answers the handshake. `ended` is called once, when the socket is of no more use.
    void open(std::function<void()> ended);

    // Sends in order, as soon as the client takes it. A client that takes too little is closed.
    void say(text message);
    bool is_idle() const { return open_ && unsent_.empty(); }  // everything said was taken
    void close(close_code code, std::string_view why);
    // Ends the socket at once, without a close frame. `ended` has been called when this returns,
    // whatever the stream below still waits for.
    void cut();

protected:
    // The stream reports the result of its operations here. After cut() this has no effect.
    void on_open(bool fine);
    void on_message(std::string_view message, bool is_text);
    void on_written(bool fine);
    void on_end() { cut(); }
    // The stream has begun to close by itself, for example after a protocol error. It has as much
    // time for that as after close().
    void on_leaving();

    // Counts what the client sent. True: it is too much, and on_flood() must be called, but not
    // within a read.
    bool note_received(std::uint32_t frames, std::size_t bytes);
    void on_flood();

    bool closing() const { return closing_; }  // then nothing more is to be read

    virtual void accept() = 0;
    virtual void read() = 0;
    virtual void write(const std::string& message) = 0;
    virtual void send_close(close_code code, std::string_view why) = 0;
    virtual void drop() = 0;  // closes the transport; operations under way fail

private:
    void pump();

    const socket_world world_;
    std::function<void()> ended_;
    std::vector<text> unsent_;  // the first is under way while writing_
    std::size_t unsent_bytes_ = 0;
    clock::time_point second_began_;
    std::uint32_t frames_ = 0;  // in this second, like the bytes while it is open
    std::size_t bytes_ = 0;
    bool open_ = false, writing_ = false, closing_ = false;
};

}  // namespace floodgate::push
