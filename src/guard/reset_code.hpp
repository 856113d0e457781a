// One-time codes with which a user sets a new password. Staff reads them out, so they are short: 8
// characters, 40 bits. That is enough for five tries within a quarter of an hour.

#pragma once

#include <string>
#include <string_view>

namespace floodgate::guard {

// Capital letters and digits without those that are easily confused (0 O, 1 I).
std::string new_reset_code();
// As new_reset_code() writes it: without blanks and hyphens, in capitals.
std::string normalised_reset_code(std::string_view typed);

}  // namespace floodgate::guard
