#include "guard/account_rules.hpp"

#include <boost/locale/utf.hpp>

#include <algorithm>

#include "sale/user.hpp"

namespace floodgate::guard {
namespace {

namespace utf = boost::locale::utf;

// C0, DEL, C1, line and paragraph separators, and the marks that turn the writing direction: with
// those a name could rewrite the line of an admin's table or of a log it stands in.
bool is_control(utf::code_point c) {
    return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x61c || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

}  // namespace

const char* to_text(account_fault fault) {
    switch (fault) {
    case account_fault::phone_characters: return "phone_characters";
    case account_fault::phone_too_short: return "phone_too_short";
    case account_fault::phone_too_long: return "phone_too_long";
    case account_fault::password_too_short: return "password_too_short";
    case account_fault::password_too_long: return "password_too_long";
    case account_fault::nickname_empty: return "nickname_empty";
    case account_fault::nickname_too_long: return "nickname_too_long";
    case account_fault::nickname_not_utf8: return "nickname_not_utf8";
    case account_fault::nickname_control: return "nickname_control";
    }
    return "unknown";
}

std::optional<account_fault> fault_in_phone(std::string_view phone) {
    if (phone.starts_with('+')) phone.remove_prefix(1);
    if (!std::ranges::all_of(phone, [](char c) { return c >= '0' && c <= '9'; }))
        return account_fault::phone_characters;
    if (phone.size() < sale::phone_digits_min) return account_fault::phone_too_short;
    if (phone.size() > sale::phone_digits_max) return account_fault::phone_too_long;
    return std::nullopt;
}

std::optional<account_fault> fault_in_password(std::string_view password) {
    if (password.size() < sale::password_bytes_min) return account_fault::password_too_short;
    if (password.size() > sale::password_bytes_max) return account_fault::password_too_long;
    return std::nullopt;
}

std::optional<account_fault> fault_in_nickname(std::string_view nickname) {
    if (nickname.empty()) return account_fault::nickname_empty;
    if (nickname.size() > sale::nickname_bytes_max) return account_fault::nickname_too_long;
    bool control = false;
    for (auto at = nickname.begin(); at != nickname.end();) {
        const utf::code_point c = utf::utf_traits<char>::decode(at, nickname.end());
        if (c == utf::illegal || c == utf::incomplete) return account_fault::nickname_not_utf8;
        control = control || is_control(c);
    }
    if (control) return account_fault::nickname_control;
    return std::nullopt;
}

}  // namespace floodgate::guard
