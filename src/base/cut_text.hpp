// Texts from people and libraries, cut to the length of a column or a field.

#pragma once

#include <string_view>

namespace floodgate {

// The text cut to at most `bytes_max` bytes, never in the middle of a UTF-8 character.
constexpr std::string_view cut_text(std::string_view text, std::size_t bytes_max) {
    if (text.size() <= bytes_max) return text;
    while (bytes_max > 0 && (static_cast<unsigned char>(text[bytes_max]) & 0xc0U) == 0x80U)
        --bytes_max;
    return text.substr(0, bytes_max);
}

}  // namespace floodgate
