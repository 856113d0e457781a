// Redis, Valkey or Redis Cluster with blocking calls, for pool threads and clerks. An event loop
// uses store/redis/async_redis.hpp, a thread that waits for news dedicated_connection.hpp.
//
// Thread-safe: connections are made as needed, kept, and used by one call at a time. A connection
// that failed is closed, and the next call makes another. While a server does not answer, calls
// fail at once instead of waiting; one in `retry_after` tries.
//
// With several addresses and no cluster, the one whose role is master is used. When the master has
// become a replica (READONLY) or is gone, it is looked for again.

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

    // Sends the command to the server of `key`'s slot; `key` is one that the command names, empty
    // for any server. store_unavailable: no answer, or an answer that says "later" (LOADING,
    // CLUSTERDOWN); after a lost connection the command may or may not have been executed.
    // rejected: another error of the server, which is logged.
    result<redis_reply> ask(std::string_view key, words what);

    // Runs the script by its hash, or with its text if the server does not know it. All keys must
    // be in one slot.
    result<redis_reply> run(const redis_script& script, const words& keys, const words& arguments);

    // Sends several commands or scripts (to_run) at once, each to the server of its key; gives the
    // answers in the same order. An error of the server is the answer of its command (kind error)
    // and is not logged, so this also suits single commands whose errors are expected (BUSYGROUP,
    // NOGROUP). store_unavailable: one of them has no answer; each may or may not have been
    // executed.
    result<std::vector<redis_reply>> ask_all(const std::vector<command>& commands);

    const redis_options& options() const;

private:
    friend class dedicated_connection;
    std::unique_ptr<redis_servers> servers_;
};

// The answer, or `rejected` and a line in the log.
result<redis_reply> accepted(redis_reply reply, std::string_view command);

}  // namespace floodgate::store
