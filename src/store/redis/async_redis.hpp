// Redis, Valkey or Redis Cluster for one event loop: commands and scripts are run without ever
// waiting. For threads that may wait there is store/redis/redis.hpp.
//
// There is one connection to each server, made when needed and again when lost. Commands that are
// run between two turns are sent in one write. It follows a Redis Cluster by itself (slot map,
// MOVED, ASK, TRYAGAIN), finds the master among several addresses, and sends the text of a script
// to a server that does not know it. Used by one thread.

#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "store/redis/async_connection.hpp"
#include "store/redis/slots.hpp"

namespace floodgate::store {

class async_redis {
public:
    using time = steady::time_point;

    enum class outcome : std::uint8_t {
        replied = 1,   // the answer is there; it may be an error of the script's own
        not_executed,  // certainly; it may be run again
        unknown,       // the connection was lost after the command was sent
        timed_out,     // it was sent and the deadline passed; it may still be executed
    };
    using completion = std::function<void(outcome, redis_reply)>;

    struct call {
        redis_command command;
        time deadline;
        time not_before{};
        completion done;  // called once, from turn(); may run() more. Not called by ~async_redis.
    };

    explicit async_redis(redis_options options);
    ~async_redis();
    async_redis(const async_redis&) = delete;
    async_redis& operator=(const async_redis&) = delete;

    void run(call c);
    void send();  // sends what was run since the last turn, where there is a connection
    // Reads, completes, writes and reconnects as needed. To be called when fd() is readable.
    void turn();
    // Readable when turn() has something to do. It never changes.
    int fd() const;
    // Makes fd() readable at this moment, once, for the owner's own purposes.
    void wake_at(time when);

private:
    struct pending {
        call what;
        int tries = 0;
        redis_sending how;
        time not_before{};
        std::string only_at;  // where an ASK sent it
    };
    // An answer to come: a call's, or that to ASKING or CLUSTER SLOTS.
    struct debt {
        std::unique_ptr<pending> of;
        bool slots = false;
    };
    struct server {
        std::unique_ptr<async_redis_connection> connection;
        std::uint64_t mark = 0;
        std::deque<debt> owed;  // in order
        bool to_be_left = false;
    };

    server& server_at(const std::string& address);
    server* server_for(const pending& p);
    void place(time now);
    void send_to(server& s, std::unique_ptr<pending> p);
    void on_event(std::uint64_t mark, std::uint32_t events, time now);
    void take_answers(server& s, time now);
    void on_error(server& s, std::unique_ptr<pending> p, redis_reply reply, time now);
    void run_again(std::unique_ptr<pending> p, time not_before);
    void lose(server& s, time now);
    void expire(time now);
    bool overdue(const server& s, time now) const;
    void tend(time now);
    void ask_for_slots(time now);
    void take_slots(const server& from, const redis_reply& reply);
    void arm(time now);
    time next_moment(time now) const;

    const redis_options options_;
    int epoll_ = -1, timer_ = -1;
    std::vector<std::unique_ptr<server>> servers_;
    std::uint64_t marks_ = 0;
    std::size_t master_ = 0;  // of servers_, without a cluster
    std::optional<redis_slots> slots_;
    bool slots_wanted_ = false, slots_asked_ = false;
    time slots_asked_at_{};
    std::size_t slots_turn_ = 0;                    // the server to be asked next for the slots
    std::deque<std::unique_ptr<pending>> waiting_;  // for a connection, a slot map, a moment
    time owner_wants_ = time::max(), armed_for_ = time::max();
};

}  // namespace floodgate::store
