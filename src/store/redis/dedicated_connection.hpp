// A connection for one user, for commands that the server answers late (XREADGROUP BLOCK) and for
// subscriptions. Used by one thread; any thread may call interrupt() and resume(). It must be
// destroyed before its redis.

#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "store/redis/redis.hpp"

namespace floodgate::store {

class redis_connection;
class redis_server;
struct redis_outcome;

// A descriptor that is readable from set() until clear().
class signal_flag {
public:
    signal_flag();
    ~signal_flag();
    signal_flag(const signal_flag&) = delete;
    signal_flag& operator=(const signal_flag&) = delete;

    void set();
    void clear();
    bool raised() const { return raised_; }
    int fd() const { return fd_; }

private:
    int fd_;
    std::atomic<bool> raised_{false};
};

class dedicated_connection {
public:
    explicit dedicated_connection(redis& of);
    ~dedicated_connection();

    // As redis::ask, but waits up to `wait` more than command_timeout.
    result<redis_reply> ask(std::string_view key, words what, milliseconds wait);
    // After SUBSCRIBE: the next message; nil when none came within `wait`.
    result<redis_reply> hear(milliseconds wait);

    // Ends every wait with store_unavailable, also one that begins later, until resume().
    void interrupt() { interrupted_.set(); }
    void resume() { interrupted_.clear(); }

    // What the server said when ask() last gave `rejected`: "NOGROUP No such key ...".
    const std::string& last_error() const { return error_; }

private:
    redis_outcome exchange(redis_server& to, const redis_command& command, const redis_sending& how,
                           milliseconds wait);

    redis_servers& servers_;
    signal_flag interrupted_;
    std::unique_ptr<redis_connection> connection_;
    std::string error_;
};

}  // namespace floodgate::store
