// RabbitMQ over librabbitmq: one connection with one channel, for one thread. It blocks, so it must
// not be used on an event loop.
//
// open() connects to the first address that answers. Messages that were not acknowledged on a lost
// connection come again on the next one. Nothing is sent on a new connection before the caller has
// called open() again, so that a lock which belongs to the connection covers everything that is
// sent.
//
// Every call gives store_unavailable when no server answers, the connection is lost (publish: the
// messages may or may not have arrived) or interrupt() was called; rejected when RabbitMQ refuses
// (no such queue, or one that is declared differently); conflict when another connection has locked
// the queue. After an error the connection is closed. The reason is logged once, without
// credentials.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace floodgate::store {

struct rabbit_options {
    std::vector<std::string> addresses{"127.0.0.1:5672"};  // HOST:PORT, tried in order
    std::string user = "guest";
    std::string password = "guest";
    std::string vhost = "/";
    milliseconds connect_timeout{2000};
    milliseconds answer_timeout{5000};
    std::chrono::seconds heartbeat{5};  // a silent peer is given up after about twice this
};

// "x-queue-type": "quorum"
using rabbit_arguments =
    std::vector<std::pair<std::string, std::variant<std::int64_t, std::string>>>;
using rabbit_headers = std::vector<std::pair<std::string, std::int64_t>>;

struct rabbit_message {
    std::string exchange;  // empty: the routing key is a queue's name
    std::string routing_key;
    rabbit_headers headers;
    std::string body;
};

struct rabbit_delivery {
    std::uint64_t tag = 0;  // for ack and reject, on the connection it came by
    bool redelivered = false;
    rabbit_headers headers;  // those that are whole numbers
    std::string body;

    std::optional<std::int64_t> header(std::string_view name) const;
};

struct rabbit_queue_facts {
    std::uint32_t ready = 0;  // messages not given to any consumer
    std::uint32_t consumers = 0;
};

enum class queue_life : std::uint8_t {
    durable = 1,     // survives RabbitMQ's restart
    with_connection  // only this connection may use it, and it ends with it: a lock
};

class rabbit {
public:
    explicit rabbit(rabbit_options options);  // throws endpoint_error
    ~rabbit();

    // Connects unless it is connected, and gives the connection's number. A new number means that
    // declarations for the connection, consumers and deliveries belong to the old one.
    result<std::uint64_t> open();
    bool is_open() const;
    void close();  // waits a moment until RabbitMQ has released what belonged to the connection

    // Throws std::runtime_error with one clear line: no answer at HOST:PORT, the user or the
    // password is wrong. Gives RabbitMQ's version.
    std::string look();

    result<void> declare_exchange(const std::string& name, const std::string& type);
    result<rabbit_queue_facts> declare_queue(const std::string& name,
                                             const rabbit_arguments& arguments,
                                             queue_life life = queue_life::durable);
    result<rabbit_queue_facts> look_at_queue(const std::string& name);
    result<void> bind(const std::string& queue, const std::string& exchange,
                      const std::string& routing_key);
    result<void> delete_queue(const std::string& name);
    result<void> delete_exchange(const std::string& name);

    // Publishes persistent messages and waits for RabbitMQ's confirms: all of them, or an error
    // (then any of them may have arrived). A message that no queue takes is an error too: rejected.
    result<void> publish(std::span<const rabbit_message> messages);

    // Subscribes to `queue`, with at most `prefetch` messages that are not acknowledged.
    result<void> consume(const std::string& queue, std::uint16_t prefetch);
    // The messages that have come, in order; waits only for the first. Empty: none came within
    // `wait`, or wake() was called.
    result<std::vector<rabbit_delivery>> take(milliseconds wait);
    // One message, without a subscription. Empty: the queue is empty.
    result<std::optional<rabbit_delivery>> get(const std::string& queue);
    result<void> ack(std::uint64_t tag, bool all_before);
    result<void> reject(std::uint64_t tag);  // to the dead-letter exchange; it does not come again

    // Any thread.
    void wake();       // ends a take() that waits, or the next one
    void interrupt();  // ends every wait with store_unavailable, until resume()
    void resume();

private:
    class session;
    std::unique_ptr<session> session_;
};

}  // namespace floodgate::store
