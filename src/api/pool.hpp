// Where handlers run, and calls that are made in two steps.

#pragma once

#include <cstdint>
#include <functional>
#include <variant>

#include "api/reply.hpp"

namespace floodgate::api {

// accounts: looks up phone numbers before a password is hashed, so that strangers do not fill the
// pool of the buyers. password and strangers: for password hashes, on the same threads; see
// http/pools.hpp. admin: a rush of buyers must not hold up the admin who wants to pause the sale.
// channels: asks payment channels, which may take seconds, so that nobody who does not pay waits
// for them. messages: for what the channels tell us, which must not wait for what we ask them.
enum class pool : std::uint8_t {
    general = 1,
    accounts,
    password,
    strangers,
    admin,
    channels,
    messages
};
inline constexpr std::uint8_t pools = 7;

// The rest of a call after its first step, which has decided in which queue it waits. If the queue
// is full or the client has gone, it never runs.
struct second_step {
    pool where = pool::password;
    std::function<reply()> work;
};
using first_answer = std::variant<reply, second_step>;

}  // namespace floodgate::api
