// One client's connection: reads, hands requests to its loop one at a time, writes answers.
//
// The transport (plain or TLS) is in the derived class; everything here runs on the loop's thread.

#pragma once

#include <boost/asio/ip/address.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "http/conversation.hpp"

namespace floodgate::push {
class web_socket;
}

namespace floodgate::http {

class event_loop;

using steady = std::chrono::steady_clock;

class connection : public std::enable_shared_from_this<connection> {
public:
    connection(event_loop& loop, boost::asio::ip::address peer);
    virtual ~connection() = default;

    virtual void start() = 0;
    // Plain connections only: the loop saw that the socket is ready.
    virtual void on_ready(bool readable, bool writable) = 0;

    // The answer to the request that was handed over last. Then goes on with what follows it.
    void answer(std::string_view bytes);

    // Of the request that was handed over last.
    std::string_view head() const { return talk_.head(); }
    bool spoke_ahead() const { return talk_.something_follows(); }
    // Reads nothing ahead until the request is answered: a transport that is being read from cannot
    // be given away.
    void stop_reading() {
        if (reading_) want_more(reading_ = false);
    }
    // Gives the transport away to a WebSocket and closes what is left. Null: it cannot be now; the
    // request must be answered.
    std::shared_ptr<push::web_socket> become_socket();

    // Closes when nothing is under way; otherwise after the present answer.
    void retire();
    // Ends it now, whatever is under way.
    void close();

    // Called a few times a second.
    void check_deadline(steady::time_point now);

    const boost::asio::ip::address& peer() const { return peer_; }
    bool peer_is_trusted() const { return peer_is_trusted_; }
    bool keep_alive() const { return keep_alive_ && !retiring_; }
    bool closed() const { return closed_; }
    std::uint64_t ticket = 0;  // given by the loop
    // Of the request under way, for when its answer is made later.
    api::language language = api::language::en;
    bool head_only = false;

protected:
    std::span<char> room() { return talk_.room(); }
    // Bytes have come into room().
    void on_received(std::size_t bytes);
    void on_peer_finished();  // it will send no more; it may still be reading
    void on_written();        // everything given to write() has left

    // Sends, now or as soon as the peer takes it; on_written() when it is done.
    virtual void write(std::string_view bytes) = 0;
    // Sends no more, but goes on reading: closing with unread bytes would destroy our last answer.
    virtual void shut_down() = 0;
    virtual void close_transport() = 0;
    virtual std::shared_ptr<push::web_socket> give_away() = 0;
    // While false, nothing more needs to be read.
    virtual void want_more(bool yes) = 0;
    event_loop& loop() { return loop_; }

private:
    enum class waiting_for { head = 1, body, answer, writing, next, goodbye };

    bool takes_requests() const;
    void go_on();
    void refuse();
    void wait_for(waiting_for what);

    event_loop& loop_;
    boost::asio::ip::address peer_;
    bool peer_is_trusted_;  // a proxy of ours: not rate-limited by its own address
    conversation talk_;
    waiting_for waiting_ = waiting_for::next;
    steady::time_point deadline_ = steady::time_point::max();
    bool going_on_ = false;  // inside go_on(): an answer given at once does not recurse
    bool keep_alive_ = true;
    bool retiring_ = false;
    bool closed_ = false;
    bool reading_ = true;
    bool peer_finished_ = false;  // half closed: it still wants its answers
};

}  // namespace floodgate::http
