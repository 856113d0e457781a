// The passwords that a guesser tries first.
//
// It uses rules instead of a long list: most of the commonest passwords are a run on the keyboard,
// a short piece repeated, or one of a few words followed by some digits. NIST SP 800-63B asks for a
// comparison with a list of compromised passwords; these rules are the part that needs no file.

#pragma once

#include <string_view>

namespace floodgate::guard {

// Ignores case, and reads @ as a, 0 as o and the like.
bool is_common_password(std::string_view password);

}  // namespace floodgate::guard
