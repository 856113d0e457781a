// What a phone number, a password and a nickname must look like. The limits are in sale/user.hpp.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace floodgate::guard {

// What is wrong, in order of precedence within each field.
enum class account_fault : std::uint8_t {
    phone_characters = 1,  // characters other than digits, apart from a leading +
    phone_too_short,
    phone_too_long,
    password_too_short,  // in characters, not bytes
    password_too_long,   // also keeps clients from having megabytes hashed
    password_is_phone,
    password_common,  // among the first that a guesser tries
    nickname_empty,   // or nothing in it can be seen
    nickname_too_long,
    nickname_not_utf8,
    nickname_control,   // hidden characters, or such that move the cursor: sale/shown_text.hpp
    nickname_reserved,  // reads like the shop's own staff
};

// "phone_too_short" ...: the word in JSON and metrics.
const char* to_text(account_fault fault);

// Empty: there is no fault.
std::optional<account_fault> fault_in_phone(std::string_view phone);
// For a new password. Any characters are allowed.
std::optional<account_fault> fault_in_password(std::string_view password, std::string_view phone);
std::optional<account_fault> fault_in_nickname(std::string_view nickname);

// A shop's own name for a user: 1 to 64 printable ASCII characters without blanks.
bool is_external_id(std::string_view text);

}  // namespace floodgate::guard
