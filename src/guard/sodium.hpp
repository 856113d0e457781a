// libsodium, made ready before its first use.

#pragma once

namespace floodgate::guard {

// Cheap after the first call. Without it libsodium would keep its slow portable code. Throws
// std::runtime_error when the machine offers no randomness.
void need_sodium();

}  // namespace floodgate::guard
