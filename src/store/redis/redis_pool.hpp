// What stands behind store/redis.hpp: which server, asked how often.

#pragma once

#include <functional>

#include "store/redis/redis_servers.hpp"

namespace floodgate::store {

class redis::pool {
public:
    explicit pool(redis_options options) : servers(std::move(options)) {}

    // How a command gets to a server: over a kept connection, or a line's own.
    using sender =
        std::function<redis_outcome(redis_server& to, bool asking, steady::time_point deadline)>;
    // An answer of any kind, errors of the command too. Tries again, elsewhere or in a moment, only
    // what was certainly not executed. store_unavailable: as for redis::ask.
    result<redis_reply> routed(std::string_view key, const sender& send);

    redis_servers servers;

private:
    struct route;
    // False: give up.
    bool go_on(route& r, const redis_error& said, const std::string& asked);
};

// The answer, or `rejected` and a line in the log.
result<redis_reply> accepted(redis_reply reply, std::string_view command);

std::unique_ptr<redis::line> make_redis_line(redis::pool& pool);
redis_facts look_at_redis(redis::pool& pool);

}  // namespace floodgate::store
