// Who takes part: buyers and staff, and the tokens that prove who they are.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "sale/ids.hpp"

namespace floodgate::sale {

// What each role may do: api/permissions.cpp. `operator` is a word of C++, so the role has a longer
// name here; its word is "operator".
enum class role : std::uint8_t { buyer = 1, admin, sales_operator, viewer, support };
inline constexpr std::array all_roles{role::buyer, role::admin, role::sales_operator, role::viewer,
                                      role::support};
constexpr bool is_staff(role r) { return r != role::buyer; }

// The word in JSON, in the ledger and on the command line.
std::string_view to_word(role r);
std::optional<role> role_of(std::string_view word);
// By its number, which log-ins in Redis carry.
std::optional<role> role_numbered(std::int64_t number);

// What a log-in is good for. Anything but `full` only lets its owner do what is missing, look at
// their own account and log out.
enum class standing : std::uint8_t { full = 1, must_change_password, second_factor_missing };
std::string_view to_word(standing s);
std::optional<standing> standing_of(std::string_view word);
std::optional<standing> standing_numbered(std::int64_t number);

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
    bool must_change_password = false;  // another person knows the password
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
    floodgate::sale::standing standing = floodgate::sale::standing::full;
};

inline constexpr std::size_t phone_digits_min = 5;
inline constexpr std::size_t phone_digits_max = 20;
inline constexpr std::size_t external_id_bytes_max = 64;
inline constexpr std::size_t nickname_bytes_max = 64;
inline constexpr std::size_t password_characters_min = 8;
inline constexpr std::size_t password_bytes_max = 128;

}  // namespace floodgate::sale
