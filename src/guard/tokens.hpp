// Tokens: the secret that a buyer sends with every request, and its hash, which is all the server
// keeps.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sale/attempt.hpp"
#include "sale/user.hpp"

namespace floodgate::guard {

inline constexpr std::size_t token_characters = 32;

// 192 random bits in base64url: 32 characters, nothing in them to guess or to forge.
std::string new_token();

// BLAKE2b-256. Unlike a password's hash it is fast on purpose, because a 192-bit secret cannot be
// guessed. Takes any text, allocates nothing.
sale::token_hash hash_of(std::string_view token) noexcept;

// The key by which the gate recognises a repeated purchase: 128 bits over the buyer and the value
// of the Idempotency-Key header, so that two buyers never share a key. Never sale::no_key.
sale::idempotency_key key_of(sale::user_id buyer, std::string_view header_value) noexcept;

// A number, from 1, by which a log-in can be named without telling its hash.
std::int64_t public_number(const sale::token_hash& hash) noexcept;

}  // namespace floodgate::guard
