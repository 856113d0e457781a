// Codes of a second factor: time-based one-time passwords (RFC 6238) with SHA-1, six digits and
// steps of 30 seconds, which every authenticator app understands.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "sale/user.hpp"

namespace floodgate::guard {

inline constexpr std::size_t totp_secret_bytes = 20;
inline constexpr std::size_t totp_digits = 6;
inline constexpr std::int64_t totp_step_s = 30;
inline constexpr std::int64_t totp_window = 1;  // steps before and after the present one
inline constexpr std::size_t recovery_codes_made = 10;
inline constexpr std::size_t second_factor_code_max = 32;  // characters of either kind of code

std::string new_totp_secret();
std::int64_t totp_step_at(instant now);
std::string totp_code(std::string_view secret, std::int64_t step);
// The step whose code this is, among those around `now`. Which of them were used already, the
// caller knows.
std::optional<std::int64_t> matching_step(std::string_view secret, std::string_view code,
                                          instant now);

// RFC 4648, without padding: how people type a secret.
std::string to_base32(std::string_view bytes);

// For the QR code of an authenticator app: otpauth://totp/...
std::string totp_uri(std::string_view secret, std::string_view account);

// "k3f9q-72mzp": 50 random bits each, because they are only tried together with the password.
std::vector<std::string> new_recovery_codes();
// Blanks, hyphens and capitals make no difference.
sale::token_hash recovery_code_hash(std::string_view code);

}  // namespace floodgate::guard
