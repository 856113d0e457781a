#include "sale/shown_text.hpp"

#include <boost/locale/utf.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <string>

namespace floodgate::sale {
namespace {

namespace utf = boost::locale::utf;

struct range {
    utf::code_point first, last;
};

// In ascending order.
constexpr range hidden_characters[] = {
    {0x00, 0x1f},        // C0: line breaks, tabs, escapes
    {0x7f, 0x9f},        // DEL and C1
    {0xad, 0xad},        // soft hyphen
    {0x61c, 0x61c},      // Arabic letter mark
    {0x115f, 0x1160},    // Hangul fillers
    {0x180e, 0x180e},    // Mongolian vowel separator
    {0x200b, 0x200f},    // no width; marks of direction
    {0x2028, 0x202e},    // line and paragraph separators; embeddings and overrides of direction
    {0x2060, 0x206f},    // word joiner, invisible operators, isolates
    {0x2800, 0x2800},    // Braille blank
    {0x3164, 0x3164},    // Hangul filler
    {0xfeff, 0xfeff},    // byte order mark
    {0xffa0, 0xffa0},    // half-width Hangul filler
    {0xfff9, 0xfffb},    // interlinear annotation
    {0xe0000, 0xe007f},  // tags
};

// What is fine in a name, but is not one alone. In ascending order.
constexpr range unseen_characters[] = {
    {0x20, 0x20},        // blank
    {0xa0, 0xa0},        // blank that does not break
    {0x34f, 0x34f},      // combining grapheme joiner
    {0x1680, 0x1680},    // Ogham blank
    {0x17b4, 0x17b5},    // inherent vowels of Khmer
    {0x180b, 0x180f},    // Mongolian variation selectors
    {0x2000, 0x200a},    // blanks of many widths
    {0x202f, 0x202f},    // narrow blank that does not break
    {0x205f, 0x205f},    // mathematical blank
    {0x3000, 0x3000},    // ideographic blank
    {0xfe00, 0xfe0f},    // variation selectors
    {0x1bca0, 0x1bca3},  // format characters of shorthand
    {0x1d159, 0x1d159},  // null note head
    {0x1d173, 0x1d17a},  // format characters of music
    {0xe0100, 0xe01ef},  // more variation selectors
};

bool is_in(std::span<const range> ranges, utf::code_point c) {
    return std::ranges::any_of(ranges, [c](const range& r) { return c >= r.first && c <= r.last; });
}

// Latin letters become lower case and of usual width, other characters beyond ASCII stay, and
// blanks, digits and ASCII punctuation are left out. Stops at bad UTF-8.
std::string folded(std::string_view text) {
    constexpr utf::code_point full_width = 0xff01, full_width_end = 0xff5e, shift = 0xfee0;
    constexpr utf::code_point wide_blank = 0x3000;
    std::string out;
    for (auto at = text.begin(); at != text.end();) {
        const auto from = at;
        utf::code_point c = utf::utf_traits<char>::decode(at, text.end());
        if (c == utf::illegal || c == utf::incomplete) break;
        if (c >= full_width && c <= full_width_end) c -= shift;
        if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
        if (c >= 'a' && c <= 'z') {
            out += static_cast<char>(c);
        } else if (c > 0x7f && c != wide_blank) {
            out.append(from, at);
        }
    }
    return out;
}

}  // namespace

text_fault fault_in_name(std::string_view text) {
    bool hidden = false;
    bool seen = false;
    for (auto at = text.begin(); at != text.end();) {
        const utf::code_point c = utf::utf_traits<char>::decode(at, text.end());
        if (c == utf::illegal || c == utf::incomplete) return text_fault::not_utf8;
        hidden = hidden || is_in(hidden_characters, c);
        seen = seen || !is_in(unseen_characters, c);
    }
    if (hidden) return text_fault::hidden;
    return seen ? text_fault::none : text_fault::blank;
}

bool is_reserved_nickname(std::string_view nickname) {
    // A Latin word counts only alone (Badminton is a name), a Chinese one anywhere in the text.
    constexpr std::array<std::string_view, 12> alone{
        "admin",     "administrator", "operator", "operations", "root",      "system",
        "moderator", "official",      "staff",    "support",    "floodgate", "系统"};
    constexpr std::array<std::string_view, 5> anywhere{"客服", "管理员", "官方", "运营人员",
                                                       "工作人员"};
    const std::string word = folded(nickname);
    return std::ranges::find(alone, word) != alone.end() ||
           std::ranges::any_of(anywhere, [&](std::string_view part) {
               return word.find(part) != std::string::npos;
           });
}

bool is_picture_address(std::string_view address) {
    // A browser reads a backslash as a slash and skips blanks, so neither is allowed.
    if (address.find_first_of("\\ \t\r\n\"<>") != std::string_view::npos) return false;
    for (const std::string_view scheme : {"https://", "http://"})
        if (address.starts_with(scheme)) return address.size() > scheme.size();
    return address.starts_with('/') && !address.starts_with("//");
}

}  // namespace floodgate::sale
