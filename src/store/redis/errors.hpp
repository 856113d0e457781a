// The meaning of a Redis server's errors, and what to do about them. Both clients do the same: only
// a command that was certainly not executed is sent again.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "store/redis/command.hpp"
#include "store/redis/options.hpp"

namespace floodgate::store {

inline constexpr int redis_tries_max = 8;  // of one command

enum class redis_says : std::uint8_t {
    moved = 1,       // not executed: the slot is at `address`
    ask,             // not executed: ask `address` this time
    try_again,       // not executed: the slot is being moved
    cluster_down,    // not executed: no server has the slot now
    read_only,       // not executed: a replica
    loading,         // not executed: the server loads its data, or has lost its master
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

struct redis_step {
    enum class kind : std::uint8_t {
        deliver = 1,  // the error is the command's answer
        send_again,
        give_up,  // it was not executed, and waiting a moment would not help
    };
    kind what = kind::deliver;
    milliseconds pause{0};    // before it is sent again
    bool look_again = false;  // the servers may have changed their roles
};
// Changes `how` to what the next sending needs.
redis_step step_after(const redis_error& said, const redis_command& command, redis_sending& how,
                      bool cluster);

}  // namespace floodgate::store
