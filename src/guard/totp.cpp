#include "guard/totp.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sodium.h>

#include <array>
#include <cctype>
#include <stdexcept>

#include "guard/sodium.hpp"
#include "guard/tokens.hpp"

namespace floodgate::guard {
namespace {

constexpr std::string_view base32_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
// Without letters and digits that look alike.
constexpr std::string_view recovery_digits = "23456789abcdefghjkmnpqrstuvwxyz";
constexpr std::size_t recovery_part = 5;

std::string percent_encoded(std::string_view text) {
    constexpr std::string_view hex = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) != 0 && byte < 0x80) {
            out += c;
        } else {
            out += '%';
            out += hex[byte >> 4U];
            out += hex[byte & 0xfU];
        }
    }
    return out;
}

}  // namespace

std::string new_totp_secret() {
    need_sodium();
    std::string secret(totp_secret_bytes, '\0');
    randombytes_buf(secret.data(), secret.size());
    return secret;
}

std::int64_t totp_step_at(instant now) { return to_ms(now) / 1000 / totp_step_s; }

std::string totp_code(std::string_view secret, std::int64_t step) {
    std::array<unsigned char, 8> counter{};
    for (std::size_t i = 0; i < counter.size(); ++i)
        counter[i] = static_cast<unsigned char>(static_cast<std::uint64_t>(step) >> (56 - 8 * i));
    std::array<unsigned char, EVP_MAX_MD_SIZE> mac{};
    unsigned int length = 0;
    if (HMAC(EVP_sha1(), secret.data(), static_cast<int>(secret.size()), counter.data(),
             counter.size(), mac.data(), &length) == nullptr)
        throw std::runtime_error("OpenSSL has no HMAC-SHA-1");
    // RFC 4226, 5.3: the last four bits say where the number stands.
    const std::size_t at = mac[length - 1] & 0xfU;
    const std::uint32_t number = (mac[at] & 0x7fU) << 24U | std::uint32_t{mac[at + 1]} << 16U |
                                 std::uint32_t{mac[at + 2]} << 8U | std::uint32_t{mac[at + 3]};
    std::string digits = std::to_string(number % 1'000'000);
    return std::string(totp_digits - digits.size(), '0') + digits;
}

// Compares all codes of the window, each in constant time.
std::optional<std::int64_t> matching_step(std::string_view secret, std::string_view code,
                                          instant now) {
    if (code.size() != totp_digits) return std::nullopt;
    std::optional<std::int64_t> found;
    const std::int64_t present = totp_step_at(now);
    for (std::int64_t step = present - totp_window; step <= present + totp_window; ++step) {
        const std::string right = totp_code(secret, step);
        if (sodium_memcmp(right.data(), code.data(), totp_digits) == 0) found = step;
    }
    return found;
}

std::string to_base32(std::string_view bytes) {
    std::string out;
    std::uint32_t bits = 0;
    unsigned count = 0;
    for (const char c : bytes) {
        bits = bits << 8U | static_cast<unsigned char>(c);
        for (count += 8; count >= 5; count -= 5) out += base32_digits[bits >> (count - 5) & 0x1fU];
    }
    if (count > 0) out += base32_digits[bits << (5 - count) & 0x1fU];
    return out;
}

std::string totp_uri(std::string_view secret, std::string_view account) {
    return "otpauth://totp/Floodgate:" + percent_encoded(account) + "?secret=" + to_base32(secret) +
           "&issuer=Floodgate&algorithm=SHA1&digits=6&period=30";
}

std::vector<std::string> new_recovery_codes() {
    need_sodium();
    std::vector<std::string> codes(recovery_codes_made);
    for (std::string& code : codes)
        for (std::size_t i = 0; i < 2 * recovery_part; ++i) {
            if (i == recovery_part) code += '-';
            code += recovery_digits[randombytes_uniform(recovery_digits.size())];
        }
    return codes;
}

sale::token_hash recovery_code_hash(std::string_view code) {
    std::string plain;
    for (const char c : code)
        if (c != ' ' && c != '-')
            plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return hash_of(plain);
}

}  // namespace floodgate::guard
