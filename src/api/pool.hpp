// Where handlers run, and calls that are made in two steps.

#pragma once

#include <cstdint>
#include <functional>
#include <variant>

#include "api/reply.hpp"

namespace floodgate::api {

// accounts: looks phone numbers up before anything is hashed; strangers must not fill the pool of
// the buyers with it. password and strangers: for what hashes, on the same threads; see
// http/pools.hpp. admin: a rush of buyers must not hold up the admin who wants to pause the sale.
enum class pool : std::uint8_t { general = 1, accounts, password, strangers, admin };
inline constexpr std::uint8_t pools = 5;

// What is left of a call after its first step, which has found out in whose queue it waits. When
// the queue is full, or the client has gone, it never runs.
struct second_step {
    pool where = pool::password;
    std::function<reply()> work;
};
using first_answer = std::variant<reply, second_step>;

}  // namespace floodgate::api
