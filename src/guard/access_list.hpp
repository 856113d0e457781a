// Which API keys are valid, and which users are disabled: kept in memory on every node, because
// every request asks. shop/access_register.hpp fills it from the ledger.

#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/published.hpp"
#include "sale/user.hpp"

namespace floodgate::guard {

// What an API key may be used for.
enum class scope : std::uint8_t { catalogue = 1, orders, logins, payment };
inline constexpr std::array all_scopes{scope::catalogue, scope::orders, scope::logins,
                                       scope::payment};
const char* to_text(scope s);  // "catalogue"
std::optional<scope> parse_scope(std::string_view word);

struct api_key {
    std::int64_t id = 0;
    std::string name;
    std::uint32_t scopes = 0;  // a bit for each
    instant expires_at{};      // the default: never

    void allow(scope s) { scopes |= 1U << static_cast<unsigned>(s); }
    bool has(scope s) const { return (scopes >> static_cast<unsigned>(s) & 1U) != 0; }
};

struct access_list {
    // The bits of a hash are random already.
    struct hash_bits {
        using is_avalanching = void;
        std::size_t operator()(const sale::token_hash& hash) const noexcept {
            std::size_t bits = 0;
            std::memcpy(&bits, hash.data(), sizeof bits);
            return bits;
        }
    };
    boost::unordered_flat_map<sale::token_hash, api_key, hash_bits> keys;  // by their secret's hash
    boost::unordered_flat_set<std::int64_t> disabled_users;

    // Null: unknown, revoked, or expired at `now`.
    const api_key* find_key(const sale::token_hash& hash, instant now) const;
    bool is_disabled(sale::user_id user) const {
        return !disabled_users.empty() && disabled_users.contains(user.value);
    }
};
using access_lists = published<access_list>;

// "fgk_" and 192 random bits in base64url: 36 characters.
std::string new_api_key();
bool looks_like_api_key(std::string_view text);

}  // namespace floodgate::guard
