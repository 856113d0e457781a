// One connection to one Redis server: commands out, answers in, each with a deadline. Used by one
// thread at a time.

#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "store/redis/redis.hpp"

struct redisContext;

namespace floodgate::store {

using steady = std::chrono::steady_clock;

// Why there is no connection, in one line. Never holds the password.
class redis_failure : public std::runtime_error {
public:
    enum class kind : std::uint8_t { unreachable = 1, refused, loading };
    redis_failure(kind what, const std::string& why) : std::runtime_error(why), what_(what) {}
    kind what_went_wrong() const { return what_; }

private:
    kind what_;
};

struct redis_address {
    std::string host;
    int port = 0;
};
// HOST:PORT or [HOST]:PORT. Throws std::runtime_error, naming it, for anything else.
redis_address parse_redis_address(const std::string& text);

class redis_wire {
public:
    // Connects, logs in, chooses the database (with a cluster there is only one). Throws
    // redis_failure.
    redis_wire(const std::string& address, const redis_options& options);
    ~redis_wire();
    redis_wire(const redis_wire&) = delete;
    redis_wire& operator=(const redis_wire&) = delete;

    // Into the buffer; sent by flush(). One answer more is to come.
    void append(const words& command);
    // False: the connection is broken, or the server takes nothing more; some may have been sent.
    bool flush(steady::time_point deadline);
    // The next answer. Nothing: the deadline passed, `interrupt` (a descriptor) became readable, or
    // the connection broke.
    std::optional<redis_reply> receive(steady::time_point deadline, int interrupt = -1);

    bool broken() const { return broken_; }
    bool reusable() const;  // nothing is owed on either side, and the server has not hung up
    const std::string& address() const { return address_; }

private:
    bool wait_for(short events, steady::time_point deadline, int interrupt);
    void shake_hands(const redis_options& options);
    void demand_ok(const words& command, const redis_options& options);

    struct deadline_closer {
        void operator()(redisContext* c) const;
    };
    std::string address_;
    std::unique_ptr<redisContext, deadline_closer> context_;
    std::string out_;
    std::size_t owed_ = 0;  // answers to come
    bool broken_ = false;
};

// What an error says about its command.
enum class redis_says : std::uint8_t {
    moved = 1,       // not executed: the slot lives at `address`
    ask,             // not executed: this once, ask `address`
    try_again,       // not executed: the slot is on the move
    cluster_down,    // not executed: nobody serves the slot now
    read_only,       // not executed: a replica
    loading,         // not executed: reading its data, or its master is away
    unknown_script,  // not executed: NOSCRIPT
    refused,         // anything else
};
struct redis_error {
    redis_says what = redis_says::refused;
    int slot = 0;
    std::string address{};  // of moved and ask
};
// `asked` is the server that said it: a MOVED without a host means the same one.
redis_error read_redis_error(std::string_view text, const std::string& asked);

}  // namespace floodgate::store
