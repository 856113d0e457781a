// The passwords that a guesser tries first.
//
// Rules instead of a long list: most of the commonest passwords are a run on the keyboard, a short
// piece said twice, or one of a few words with some digits behind it. NIST SP 800-63B asks for a
// comparison with a list of compromised passwords; this is the part of it that needs no file.

#pragma once

#include <string_view>

namespace floodgate::guard {

// Whatever the case of its letters, and with @ for a, 0 for o and the like undone.
bool is_common_password(std::string_view password);

}  // namespace floodgate::guard
