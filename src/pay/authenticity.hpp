// What the checks of a message say about it. Every message is booked together with this.

#pragma once

#include <cstdint>

namespace floodgate::pay {

// Which check failed. They run in about this order; a message that fails several of them is booked
// under the first.
enum class authenticity : std::uint8_t {
    genuine = 1,
    without_signature,
    malformed,        // not in the channel's form
    wrong_algorithm,  // signed or encrypted in a way that is not accepted, such as SHA1
    probe,            // WeChat Pay's test of whether signatures are checked: it must fail
    stale,            // its time is too far from ours
    unknown_serial,   // signed with a key that we do not have
    bad_signature,
    bad_cipher,  // its content was altered, or encrypted with another key
};
const char* to_text(authenticity a);

}  // namespace floodgate::pay
