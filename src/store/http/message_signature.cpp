#include "store/http/message_signature.hpp"

#include <sodium.h>

#include <array>
#include <cassert>
#include <charconv>
#include <chrono>
#include <optional>

#include "base/hex.hpp"

namespace floodgate::store {
namespace {

// 1970 to 2286, without a sign or leading zeros: one spelling for one moment.
constexpr std::size_t timestamp_digits_max = 10;

const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

std::optional<instant> read_timestamp(std::string_view text) {
    if (text.empty() || text.size() > timestamp_digits_max || text.front() == '0') return {};
    std::int64_t seconds = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, seconds);
    if (error != std::errc() || stopped != end || seconds < 0) return {};
    return from_ms(seconds * 1000);
}

bool is_same(std::string_view a, std::string_view b) {
    return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

std::string hmac_sha256_hex(std::string_view secret, std::string_view text) {
    static const bool ready = sodium_init() >= 0;
    assert(ready);
    std::array<std::byte, crypto_auth_hmacsha256_BYTES> mac{};
    crypto_auth_hmacsha256_state state;  // unlike the one-call form it takes keys of any length
    crypto_auth_hmacsha256_init(&state, bytes_of(secret), secret.size());
    crypto_auth_hmacsha256_update(&state, bytes_of(text), text.size());
    crypto_auth_hmacsha256_final(&state, reinterpret_cast<unsigned char*>(mac.data()));
    return to_hex(mac);
}

std::string message_timestamp(instant now) {
    return std::to_string(std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count());
}

std::string message_signature(std::string_view secret, std::string_view timestamp,
                              std::string_view body) {
    std::string text(timestamp);
    text.append(".").append(body);
    return "v1=" + hmac_sha256_hex(secret, text);
}

seal_check check_seal(std::string_view secret, const message_seal& seal, std::string_view body,
                      instant now) {
    if (seal.timestamp.empty() || seal.signature.empty()) return seal_check::absent;
    const auto at = read_timestamp(seal.timestamp);
    if (!at) return seal_check::malformed;
    if (now - *at > signature_window || *at - now > signature_window) return seal_check::stale;
    const std::string wanted = message_signature(secret, seal.timestamp, body);
    return is_same(wanted, seal.signature) ? seal_check::good : seal_check::bad;
}

}  // namespace floodgate::store
