// Bytes as lower-case hexadecimal text and back.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.hpp"

namespace floodgate {

std::string to_hex(byte_view bytes);

// Fills `out` from exactly twice as many digits; false (and `out` unspecified) for anything else.
bool from_hex(std::string_view text, std::span<std::byte> out);

}  // namespace floodgate
