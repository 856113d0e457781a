// The passwords that a guesser tries first.
//
// Rules and a table of words instead of a list of passwords. Covered are: runs on the keyboard and
// of digits, forwards and backwards; a piece of up to four characters said again and again; dates
// of eight digits; and each of some 1,500 words (common_words.hpp), alone, twice, after "ilove"
// and the like, with up to five digits or signs around it, or before a run of digits.
//
// Not covered: what was stolen elsewhere and follows none of these rules, phrases of several words,
// and words of languages that the table does not have. NIST SP 800-63B and ASVS 6.2.12 ask for a
// comparison with a list of compromised passwords, which would be a file of its own.

#pragma once

#include <string_view>

namespace floodgate::guard {

// For passwords of eight characters or more. Whatever the case of the letters, and with @ for a, 0
// for o and the like undone.
bool is_common_password(std::string_view password);

}  // namespace floodgate::guard
