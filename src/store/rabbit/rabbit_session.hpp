// The inside of store/rabbit/rabbit.hpp: the connection, its frames and its errors.

#pragma once

#include <amqp.h>
#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <set>
#include <vector>

#include "base/endpoint.hpp"
#include "store/rabbit/rabbit.hpp"

namespace floodgate::store {

inline constexpr amqp_channel_t only_channel = 1;

amqp_bytes_t to_amqp(std::string_view text);  // borrowed

class rabbit::session {
public:
    using steady = std::chrono::steady_clock;

    explicit session(rabbit_options options);
    ~session();
    session(const session&) = delete;
    session& operator=(const session&) = delete;

    const rabbit_options& options() const { return options_; }
    result<std::uint64_t> open();
    // One clear line, or empty.
    std::string connect();
    void close();
    void say_goodbye();  // and closes: when it returns, RabbitMQ has released everything
    bool is_open() const { return state_ != nullptr; }
    amqp_connection_state_t state() { return state_; }
    std::string version() const;

    // The outcome of the last call. On a failure it closes the connection and logs the reason.
    result<void> outcome();
    result<void> outcome(const amqp_rpc_reply_t& reply);
    result<void> outcome(int status);  // of the calls that only send
    boost::system::error_code lose(errc why, std::string_view reason);

    // Handles incoming frames; waits for them at most until `by` or wake(). Deliveries and confirms
    // are kept for the calls that need them.
    result<void> pump(steady::time_point by);

    std::deque<rabbit_delivery> deliveries;
    std::set<std::uint64_t> unconfirmed;  // numbers of messages published on this connection
    std::uint64_t published = 0;
    bool refused = false;   // RabbitMQ did not accept a message
    bool returned = false;  // no queue takes a message
    bool confirming = false;
    bool woken = false;  // by wake(), since it was last looked at

    void wake();
    void interrupt();
    void resume();

private:
    std::string connect_to(const endpoint& to);
    std::string log_in();
    void wait_readable(steady::time_point by);
    result<void> handle(const amqp_frame_t& frame);
    result<void> confirmed(std::uint64_t tag, bool all_before);
    result<void> receive(const amqp_basic_deliver_t& what);
    result<void> read_message(rabbit_delivery& into);

    const rabbit_options options_;
    std::vector<endpoint> servers_;  // the options' addresses
    amqp_connection_state_t state_ = nullptr;
    std::uint64_t connection_ = 0;
    std::size_t address_ = 0;  // the one to try first
    bool failing_ = false;     // so that a failure is logged once
    int waker_ = -1;           // an eventfd
    std::atomic<bool> interrupted_{false};
    std::mutex socket_mutex_;  // the socket is not closed while interrupt() shuts it down
    int socket_ = -1;

    friend class rabbit;
};

// What a message's headers say, as far as it is whole numbers.
rabbit_headers whole_numbers(const amqp_table_t& table);
void fill_delivery(const amqp_message_t& message, rabbit_delivery& into);

}  // namespace floodgate::store
