// What texts that strangers read may be made of: titles, nicknames, addresses of pictures.
//
// A name is shown in other people's pages, tables and logs. So it must not hide characters, turn
// the direction of the line it stands in, break it, or pretend to be the shop. An address of a
// picture goes into a page as it is: it must not be a script.

#pragma once

#include <cstdint>
#include <string_view>

namespace floodgate::sale {

enum class text_fault : std::uint8_t {
    none = 1,
    not_utf8,
    hidden,  // a control, a line separator, a mark of writing direction, or of no width at all
};

// For a name or a title, which is one line.
text_fault fault_in_name(std::string_view text);

// Whether a nickname reads like the shop's own staff: "Operator", "ADMIN_1", "官方客服". Case,
// width of the letters, digits and what stands between words make no difference.
bool is_reserved_nickname(std::string_view nickname);

// http://..., https://... or a path on the shop's own site (/pictures/kettle.jpg).
bool is_picture_address(std::string_view address);

}  // namespace floodgate::sale
