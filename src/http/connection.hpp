// One client's connection: takes bytes, gives out requests one at a time, writes their answers.
//
// A connection never calls the code that handles requests. The loop asks for the next() request
// after bytes have come and after an answer was sent. The transport (plain or TLS) is in the
// derived class. Everything here runs on the loop's thread.

#pragma once

#include <boost/intrusive/list.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "guard/ip_address.hpp"
#include "http/client_counts.hpp"
#include "http/conversation.hpp"
#include "http/unsent.hpp"

namespace boost::asio {
class io_context;
}
namespace floodgate::push {
class web_socket;
struct socket_world;
}  // namespace floodgate::push

namespace floodgate::http {

class answers;
class connection;
struct upgrade_request;

using steady = std::chrono::steady_clock;
using connection_id = std::uint64_t;

// A place in the list of connections that wait for their client with nothing under way. The place
// is given up when the connection is destroyed.
struct idle_place
    : boost::intrusive::list_base_hook<
          boost::intrusive::link_mode<boost::intrusive::link_mode_type::auto_unlink>> {};
using idle_list = boost::intrusive::list<idle_place, boost::intrusive::constant_time_size<false>>;

// The loop, as its connections see it.
class connection_home {
public:
    connection_home(const loop_options& o, answers& a) : options(o), out(a) {}
    virtual ~connection_home() = default;

    const loop_options options;
    answers& out;
    steady::time_point now;  // of the present turn
    idle_list idle;          // the longest idle first

    // How many bytes of a body that is still to come are needed.
    virtual std::size_t body_bytes_wanted(const request& announced) = 0;
    // The connection is closed. It lives until the turn ends.
    virtual void on_closed(connection& who) = 0;
    // Its answer was sent, and another request may have come before that: ask for next().
    virtual void on_more(connection& who) = 0;
    // Something happened to the connection outside a turn: ask for next(). For transports that wait
    // by themselves.
    virtual void on_progress(connection& who) = 0;
};

// The other end of the connection.
struct remote {
    guard::ip_address address;
    bool is_trusted_proxy = false;  // such a proxy is not rate-limited by its own address
};

class connection : public std::enable_shared_from_this<connection>, public idle_place {
public:
    connection(connection_home& home, const remote& peer);
    virtual ~connection() = default;

    virtual void start() = 0;
    // Plain connections only: the loop saw that the socket is ready.
    virtual void on_ready(bool readable, bool writable) = 0;
    // Whether the client has sent something that was not read yet.
    virtual bool has_unread() = 0;

    // The next whole request, which is then under way until answer(). Null: there is none now. Its
    // views are valid until the answer, or until more is read.
    const request* next();

    // The answer to the request under way.
    void answer(std::string_view bytes);
    void answer(const shared_answer& bytes);

    // Whether the client has stopped sending while its request is under way. It may still be
    // reading.
    bool gave_up() const { return peer_finished_ && waiting_ == waiting_for::answer; }

    // The head of the request under way.
    std::string_view head() const { return talk_.head(); }
    bool spoke_ahead() const { return talk_.something_follows(); }
    // Reads nothing until the request is answered, because a transport that is being read from
    // cannot be given away.
    void stop_reading() {
        if (reading_) want_more(reading_ = false);
    }
    // Gives the transport to a WebSocket and closes this connection. Null: this is not possible
    // now; the request must be answered, unless closed().
    std::shared_ptr<push::web_socket> become_socket(boost::asio::io_context& io,
                                                    const push::socket_world& world,
                                                    const upgrade_request& r);

    // How it is counted: until it is closed, or as long as the WebSocket that it has become.
    void take_place(client_place place) { place_ = std::move(place); }

    // Closes when nothing is under way; otherwise after the present answer.
    void retire();
    // Closes now, whatever is under way.
    void close();

    // Called a few times a second.
    void check_deadline(steady::time_point now);

    const remote& peer() const { return peer_; }
    bool keep_alive() const { return keep_alive_ && !retiring_; }
    bool closed() const { return closed_; }
    connection_id id = 0;  // given by the home
    // The language of the request under way, for an answer that is made later.
    api::language language = api::language::en;
    bool head_only = false;
    // Of the request under way: echoed in its answer. Empty: it has none.
    std::string request_id;
    steady::time_point bought_at;  // when the attempt to buy that is under way was read
    std::string_view cors{};       // header lines of that answer: cors.hpp

protected:
    std::span<char> room() { return talk_.room(); }
    // To be called when bytes were received into room().
    void on_received(std::size_t bytes);
    void on_peer_finished();  // the client will send no more, but may still be reading
    void on_written();        // everything given to write() was sent
    // Called before and after what a transport has to do before the first request.
    void begin_handshake() { wait_for(waiting_for::handshake); }
    void end_handshake() { wait_for(waiting_for::next); }

    // Sends now, or as soon as the client takes it; then calls on_written().
    virtual void write(std::string_view bytes) = 0;
    virtual void write(const shared_answer& bytes) = 0;
    // Sends no more, but goes on reading: closing with unread bytes would destroy the last answer.
    virtual void shut_down() = 0;
    virtual void close_transport() = 0;
    virtual std::shared_ptr<push::web_socket> give_away(boost::asio::io_context& io,
                                                        const push::socket_world& world,
                                                        const upgrade_request& r) = 0;
    // For what is given away.
    client_place give_place() { return std::move(place_); }
    // While false, nothing more needs to be read.
    virtual void want_more(bool yes) = 0;
    connection_home& home() { return home_; }

private:
    // go_ahead: until `100 Continue` was sent.
    enum class waiting_for { handshake = 1, head, go_ahead, body, answer, writing, next, goodbye };

    bool takes_requests() const;
    bool may_send_body();
    void refuse();
    void wait_for(waiting_for what);

    connection_home& home_;
    const remote peer_;
    client_place place_;
    conversation talk_;
    waiting_for waiting_ = waiting_for::next;
    milliseconds body_time_{0};  // for the body that is being read
    steady::time_point deadline_ = steady::time_point::max();
    bool keep_alive_ = true;
    bool retiring_ = false;
    bool closed_ = false;
    bool reading_ = true;
    bool peer_finished_ = false;  // half closed: the client still wants its answers
};

}  // namespace floodgate::http
