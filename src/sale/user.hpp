// Who takes part: buyers and admins, and the tokens that prove who they are.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/clock.hpp"
#include "sale/ids.hpp"

namespace floodgate::sale {

enum class role : std::uint8_t { buyer = 1, admin };

// The full names below are needed because catalogue.hpp has a struct named like this namespace.
struct user {
    user_id id;
    std::string phone;  // the log-in name, unique; empty: the user came with an external id
    std::string nickname;
    std::string password_hash;  // Argon2id, as libsodium writes it
    floodgate::sale::role role = floodgate::sale::role::buyer;
    instant created_at;
    std::string external_id{};  // the shop's own name for the user, unique; empty: none
    instant disabled_at{};      // the default: not disabled
    instant forgotten_at{};     // when the personal data was removed; the default: it is there
};

// Only the buyer knows the token; the server keeps its hash.
using token_hash = std::array<std::byte, 32>;

struct login {
    token_hash hash{};
    user_id user;
    floodgate::sale::role role = floodgate::sale::role::buyer;
    instant expires_at;
    instant created_at{};   // of log-ins read from the ledger
    std::string address{};  // the network it came from
};

inline constexpr std::size_t phone_digits_min = 5;
inline constexpr std::size_t phone_digits_max = 20;
inline constexpr std::size_t external_id_bytes_max = 64;
inline constexpr std::size_t nickname_bytes_max = 64;
inline constexpr std::size_t password_characters_min = 8;
inline constexpr std::size_t password_bytes_max = 128;

}  // namespace floodgate::sale
