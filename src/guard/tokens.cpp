#include "guard/tokens.hpp"

#include <sodium.h>

#include <array>
#include <cassert>
#include <cstring>

#include "guard/sodium.hpp"

namespace floodgate::guard {
namespace {

constexpr std::size_t token_bytes = token_characters * 3 / 4;
static_assert(token_bytes * 8 == 192);

const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

unsigned char* bytes_of(std::byte* data) { return reinterpret_cast<unsigned char*>(data); }

}  // namespace

std::string new_token() {
    need_sodium();
    std::array<unsigned char, token_bytes> secret;
    randombytes_buf(secret.data(), secret.size());
    std::array<char, token_characters + 1> text;  // libsodium ends it with a zero
    sodium_bin2base64(text.data(), text.size(), secret.data(), secret.size(),
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    return {text.data(), token_characters};
}

sale::token_hash hash_of(std::string_view token) noexcept {
    need_sodium();
    sale::token_hash hash;
    static_assert(sizeof hash == crypto_generichash_BYTES);
    crypto_generichash(bytes_of(hash.data()), hash.size(), bytes_of(token), token.size(), nullptr,
                       0);
    return hash;
}

sale::idempotency_key key_of(sale::user_id buyer, std::string_view header_value) noexcept {
    need_sodium();
    // The buyer goes into BLAKE2b's salt, which keeps it separate from the text.
    std::array<unsigned char, crypto_generichash_blake2b_SALTBYTES> salt{};
    static_assert(sizeof salt >= sizeof buyer.value);
    std::memcpy(salt.data(), &buyer.value, sizeof buyer.value);
    constexpr unsigned char purpose[crypto_generichash_blake2b_PERSONALBYTES + 1] =
        "idempotency-key.";

    sale::idempotency_key key;
    crypto_generichash_blake2b_salt_personal(bytes_of(key.data()), key.size(),
                                             bytes_of(header_value), header_value.size(), nullptr,
                                             0, salt.data(), purpose);
    if (key == sale::no_key) key.back() = std::byte{1};
    return key;
}

std::int64_t public_number(const sale::token_hash& hash) noexcept {
    const auto again = hash_of({reinterpret_cast<const char*>(hash.data()), hash.size()});
    std::uint64_t bits = 0;
    std::memcpy(&bits, again.data(), sizeof bits);
    return static_cast<std::int64_t>(bits >> 1U | 1U);
}

}  // namespace floodgate::guard
