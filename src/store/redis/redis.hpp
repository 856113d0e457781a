// Redis, Valkey or Redis Cluster: asked, and waited for. For pool threads and clerks; an event loop
// uses store/redis_link.hpp.
//
// Thread-safe: connections are made as needed, kept, and shared one call at a time. A connection
// that failed is closed; the next call makes another. While nothing answers, calls fail at once
// instead of waiting each for itself (one in `retry_after` tries).
//
// With several addresses and no cluster, the one whose role is master is used; a master that has
// become a replica (READONLY) or is gone is looked for again.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace floodgate::store {

struct redis_options {
    std::vector<std::string> addresses{"127.0.0.1:6379"};  // HOST:PORT
    bool cluster = false;  // the addresses are some of a Redis Cluster's nodes
    std::string user;      // empty: "default"
    std::string password;  // empty: none
    int database = 0;      // not with a cluster
    milliseconds connect_timeout{1000};
    milliseconds command_timeout{1000};
    milliseconds retry_after{250};
    std::size_t connections_max = 16;  // for each server; one more call waits for its turn
};

struct redis_reply {
    enum class kind : std::uint8_t { nil = 1, integer, text, status, error, array };
    kind what = kind::nil;
    std::int64_t integer = 0;
    std::string text;  // of text, status and error
    std::vector<redis_reply> items;

    bool is_nil() const { return what == kind::nil; }
};

using words = std::vector<std::string>;

// A Lua script with its SHA-1: called by it, sent whole when the server does not know it.
class redis_script {
public:
    explicit redis_script(std::string_view text);
    const std::string& text() const { return text_; }
    const std::string& sha() const { return sha_; }

private:
    std::string text_, sha_;
};

// What was found at start, to be judged by whoever asks for durability.
struct redis_facts {
    std::string kind;             // "redis", "valkey"
    std::string version;          // "7.0.15"
    bool append_only = false;     // appendonly yes
    std::string append_fsync;     // "always", "everysec", "no"; empty: it may not be read
    std::string eviction;         // maxmemory-policy
    milliseconds clock_apart{0};  // its clock minus ours
};

class redis {
public:
    // Connects to nothing yet.
    explicit redis(redis_options options);
    ~redis();

    // The command, sent to the server of `key`'s slot (a key the command names; empty: any server).
    // store_unavailable: no answer, or one that says "later" (LOADING, CLUSTERDOWN, a lost
    // connection: the command may have been done or not). rejected: the server's error, logged.
    result<redis_reply> ask(std::string_view key, const words& command);

    // EVALSHA, and EVAL where the script is not known. The keys are all in one slot.
    result<redis_reply> run(const redis_script& script, const words& keys, const words& arguments);

    // Several commands in one go, each to the server of its key; the answers in the same order.
    // What the server says against one of them is its answer (kind error), and is not logged: for
    // those who expect it (BUSYGROUP, NOGROUP), one command at a time too. store_unavailable: one
    // of them has no answer; each may have been done or not.
    struct command {
        std::string key;
        words what;
    };
    result<std::vector<redis_reply>> ask_all(const std::vector<command>& commands);

    // A connection of one's own, for a command that blocks the server's answer (XREADGROUP BLOCK):
    // waits up to `wait` more than command_timeout. Used by one thread; interrupt() from any ends
    // the wait with store_unavailable, also one that begins later, until resume().
    class line {
    public:
        virtual ~line() = default;
        virtual result<redis_reply> ask(std::string_view key, const words& command,
                                        milliseconds wait) = 0;
        // After SUBSCRIBE: the next message; nil when none came within `wait`.
        virtual result<redis_reply> hear(milliseconds wait) = 0;
        virtual void interrupt() = 0;
        virtual void resume() = 0;
        // What the server said when ask() last gave `rejected`: "NOGROUP No such key ...".
        virtual std::string last_error() const { return {}; }
    };
    std::unique_ptr<line> open_line();  // must end before this object

    // Of every server that holds keys: the weakest of each. Throws std::runtime_error with one
    // clear line: nobody answers at HOST:PORT, the password is wrong, it is older than 7.0, it is
    // (not) a cluster.
    redis_facts look();

    const redis_options& options() const;

    class pool;  // store/redis_pool.hpp

private:
    std::unique_ptr<pool> pool_;
};

// CRC16 of the key, or of what stands between its first { and the next }, modulo 16384.
std::uint16_t redis_slot(std::string_view key);

}  // namespace floodgate::store
