// The commands on a new connection before the first real one, and the meaning of their answers.

#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "store/redis/command.hpp"
#include "store/redis/options.hpp"
#include "store/redis/reply.hpp"

namespace floodgate::store {

// Why there is no connection, in one line. Never holds the password.
class redis_failure : public std::runtime_error {
public:
    enum class kind : std::uint8_t { unreachable = 1, refused, loading };
    redis_failure(kind what, const std::string& why) : std::runtime_error(why), what_(what) {}
    kind what_went_wrong() const { return what_; }

private:
    kind what_;
};

// AUTH and SELECT, if they are needed. A cluster has only one database.
std::vector<words> login_commands(const redis_options& options);

// The command whose answer shows that the server can be used: PING, or ROLE if one of several
// addresses has to be the master.
words proof_command(const redis_options& options);

// The answer to ROLE.
bool is_master(const redis_reply& role);

// What an error in the handshake means.
redis_failure to_failure(const std::string& address, const redis_reply& error);

}  // namespace floodgate::store
