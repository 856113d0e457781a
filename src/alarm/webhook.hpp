// Sends alerts to an HTTP address of the operator, one signed message for each, on a thread of its
// own, so that raising an alert never waits for the network.
//
//   Floodgate-Timestamp: 1800000000
//   Floodgate-Signature: v1=... (store/http/message_signature.hpp)
//   {"id":"...","alert":"backlog","subject":"...","detail":"...","state":"raised",
//    "since":"2027-01-15T08:00:00.000Z","at":"...","node":0}
//
// `id` is the same on every try of one message, so that the receiver can recognise a repetition.
// After a 2xx answer the message is done. After 3xx and 4xx it is given up, except for 408 and 429:
// a receiver that refuses a message would refuse it again. In all other cases it is tried again, in
// order: a later message waits for an earlier one.

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
    std::string secret;          // of any length, but not empty
    std::uint32_t node = 0;      // part of the message
    bool allow_private = false;  // allow addresses of this machine or its network
    std::uint32_t attempts = 5;
    milliseconds first_wait{1000};  // doubles
    std::size_t queue_max = 1000;   // above it the oldest messages are dropped
    milliseconds timeout{5000};     // of one attempt
};

class webhook {
public:
    struct figures {  // messages since start; `waiting`: now, including the one being sent
        std::uint64_t sent = 0, failed = 0, dropped = 0, waiting = 0;
    };

    // Throws std::runtime_error: the address or the secret cannot be used.
    webhook(webhook_options o, const clock& clock);
    ~webhook();  // stop()

    void start() { task_.start(); }
    // Ends after the current attempt, within about 2 s. Messages not sent by then are lost.
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
    // Used by the task's thread only.
    std::uint32_t tries_ = 0;  // of the message in hand
    std::string why_;          // why it was not sent
    periodic_task task_;
};

// For tests and as an example for receivers.
std::string webhook_body(const std::string& id, std::uint32_t node, const notice& n);

}  // namespace floodgate::alarm
