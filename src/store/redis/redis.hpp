// Redis, Valkey or Redis Cluster: asked, and waited for. For pool threads and clerks; an event loop
// uses store/redis/async_redis.hpp, a thread that waits for news dedicated_connection.hpp.
//
// Thread-safe: connections are made as needed, kept, and shared one call at a time. A connection
// that failed is closed; the next call makes another. While nothing answers, calls fail at once
// instead of waiting each for itself (one in `retry_after` tries).
//
// With several addresses and no cluster, the one whose role is master is used; a master that has
// become a replica (READONLY) or is gone is looked for again.

#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "store/redis/command.hpp"
#include "store/redis/options.hpp"
#include "store/redis/reply.hpp"

namespace floodgate::store {

class redis_servers;

class redis {
public:
    using command = redis_command;

    // Connects to nothing yet. Throws std::runtime_error: an address is no HOST:PORT.
    explicit redis(redis_options options);
    ~redis();

    // The command, sent to the server of `key`'s slot (a key the command names; empty: any server).
    // store_unavailable: no answer, or one that says "later" (LOADING, CLUSTERDOWN, a lost
    // connection: the command may have been done or not). rejected: the server's error, logged.
    result<redis_reply> ask(std::string_view key, words what);

    // By the script's hash, or whole where the server does not know it. The keys are all in one
    // slot.
    result<redis_reply> run(const redis_script& script, const words& keys, const words& arguments);

    // Several commands or scripts (to_run) in one go, each to the server of its key; the answers in
    // the same order. What the server says against one of them is its answer (kind error), and is
    // not logged: for callers that expect it (BUSYGROUP, NOGROUP), one command at a time too.
    // store_unavailable: one of them has no answer; each may have been done or not.
    result<std::vector<redis_reply>> ask_all(const std::vector<command>& commands);

    const redis_options& options() const;

private:
    friend class dedicated_connection;
    std::unique_ptr<redis_servers> servers_;
};

// The answer, or `rejected` and a line in the log.
result<redis_reply> accepted(redis_reply reply, std::string_view command);

}  // namespace floodgate::store
