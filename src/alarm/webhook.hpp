// Tells an HTTP address of the operator's about alerts, one signed message each, from a thread of
// its own: raising an alert never waits for the network.
//
//   Floodgate-Timestamp: 1800000000
//   Floodgate-Signature: v1=<hex HMAC-SHA256 of "1800000000.<body>" under the secret>
//   {"id":"...","alert":"backlog","subject":"...","detail":"...","state":"raised",
//    "since":"2027-01-15T08:00:00.000Z","at":"...","node":0}
//
// `id` is the same on every try of one message, so that the receiver can tell a repetition. A 2xx
// answer is the end of it; 3xx and 4xx are too (a receiver that says no will say no again), but for
// 408 and 429. Everything else is tried again, in order: a later message waits for an earlier one.

#pragma once

#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include "alarm/board.hpp"
#include "base/clock.hpp"
#include "base/periodic_task.hpp"

namespace floodgate::alarm {

struct webhook_options {
    std::string url;
    std::string secret;          // any length but none
    std::uint32_t node = 0;      // said in the message
    bool allow_private = false;  // addresses of this machine or its network
    std::uint32_t attempts = 5;
    milliseconds first_wait{1000};  // doubles
    std::size_t queue_max = 1000;   // past it the oldest are dropped
    milliseconds timeout{5000};     // of one attempt
};

class webhook {
public:
    struct figures {  // messages since start; `waiting`: now, the one in hand among them
        std::uint64_t sent = 0, failed = 0, dropped = 0, waiting = 0;
    };

    // Throws std::runtime_error: the address or the secret cannot be used.
    webhook(webhook_options o, const clock& clock);
    ~webhook();  // stop()

    void start() { task_.start(); }
    // Ends after the attempt in hand, within about 2 s. What was not sent by then is not sent.
    void stop();

    // Any thread. Returns at once.
    void send(const notice& n);
    figures read_figures() const;

private:
    struct message {
        std::string id, body;
    };
    enum class result : std::uint8_t { sent = 1, refused, failed };

    next_step step();
    bool take_one();
    void put_down(result how);
    void finish();
    result attempt(const message& m, std::string& why) const;
    bool out_of_grace() const;

    const webhook_options options_;
    const clock& clock_;
    mutable std::mutex mutex_;
    // Guarded by mutex_.
    std::deque<message> queue_;
    figures figures_;                 // `waiting` is filled in when read
    std::optional<message> in_hand_;  // changed by the task only
    std::optional<moment> stop_by_;
    // The task's own.
    std::uint32_t tries_ = 0;  // of the message in hand
    std::string why_;          // it was not sent
    periodic_task task_;
};

// The parts of a message, for its tests and for those who write a receiver.
std::string webhook_body(const std::string& id, std::uint32_t node, const notice& n);
std::string webhook_signature(const std::string& secret, const std::string& timestamp,
                              const std::string& body);  // "v1=..."

}  // namespace floodgate::alarm
