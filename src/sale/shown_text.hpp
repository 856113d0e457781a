// Rules for texts that strangers read: titles, nicknames, addresses of pictures.
//
// A name is shown in other people's pages, tables and logs. So it must not hide characters, break
// the line it stands in or turn its writing direction, or pretend to be the shop. An address of a
// picture goes into a page unchanged, so it must not be a script.

#pragma once

#include <cstdint>
#include <string_view>

namespace floodgate::sale {

enum class text_fault : std::uint8_t {
    none = 1,
    not_utf8,
    hidden,  // a control character, line separator, mark of direction, or character without width
    blank,   // there is nothing to be seen: only blanks of any kind and selectors of variants
};

// For a name or a title, which is one line. The first that applies; an empty text is blank.
text_fault fault_in_name(std::string_view text);

// Whether a nickname reads like the shop's own staff: "Operator", "ADMIN_1", "官方客服". Case,
// letter width, digits and the characters between words make no difference.
bool is_reserved_nickname(std::string_view nickname);

// http://..., https://... or a path on the shop's own site (/pictures/kettle.jpg).
bool is_picture_address(std::string_view address);

}  // namespace floodgate::sale
