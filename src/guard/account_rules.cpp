#include "guard/account_rules.hpp"

#include <boost/locale/utf.hpp>

#include <algorithm>
#include <string>

#include "guard/common_passwords.hpp"
#include "sale/shown_text.hpp"
#include "sale/user.hpp"

namespace floodgate::guard {
namespace {

namespace utf = boost::locale::utf;

// Bytes that are not UTF-8 count one by one.
std::size_t characters_in(std::string_view text) {
    std::size_t count = 0;
    for (auto at = text.begin(); at != text.end(); ++count) {
        const auto from = at;
        const utf::code_point c = utf::utf_traits<char>::decode(at, text.end());
        if (c == utf::illegal || c == utf::incomplete) at = from + 1;
    }
    return count;
}

std::string digits_in(std::string_view text) {
    std::string digits(text);
    std::erase_if(digits, [](char c) { return c == ' ' || c == '-' || c == '+'; });
    return digits;
}

}  // namespace

const char* to_text(account_fault fault) {
    switch (fault) {
    case account_fault::phone_characters: return "phone_characters";
    case account_fault::phone_too_short: return "phone_too_short";
    case account_fault::phone_too_long: return "phone_too_long";
    case account_fault::password_too_short: return "password_too_short";
    case account_fault::password_too_long: return "password_too_long";
    case account_fault::password_is_phone: return "password_is_phone";
    case account_fault::password_common: return "password_common";
    case account_fault::nickname_empty: return "nickname_empty";
    case account_fault::nickname_too_long: return "nickname_too_long";
    case account_fault::nickname_not_utf8: return "nickname_not_utf8";
    case account_fault::nickname_control: return "nickname_control";
    case account_fault::nickname_reserved: return "nickname_reserved";
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

std::optional<account_fault> fault_in_password(std::string_view password, std::string_view phone) {
    if (password.size() > sale::password_bytes_max) return account_fault::password_too_long;
    if (characters_in(password) < sale::password_characters_min)
        return account_fault::password_too_short;
    if (!phone.empty() && digits_in(password) == digits_in(phone))
        return account_fault::password_is_phone;
    if (is_common_password(password)) return account_fault::password_common;
    return std::nullopt;
}

std::optional<account_fault> fault_in_nickname(std::string_view nickname) {
    if (nickname.empty()) return account_fault::nickname_empty;
    if (nickname.size() > sale::nickname_bytes_max) return account_fault::nickname_too_long;
    switch (sale::fault_in_name(nickname)) {
    case sale::text_fault::not_utf8: return account_fault::nickname_not_utf8;
    case sale::text_fault::hidden: return account_fault::nickname_control;
    case sale::text_fault::blank: return account_fault::nickname_empty;
    case sale::text_fault::none: break;
    }
    if (sale::is_reserved_nickname(nickname)) return account_fault::nickname_reserved;
    return std::nullopt;
}

bool is_external_id(std::string_view text) {
    return !text.empty() && text.size() <= sale::external_id_bytes_max &&
           std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

}  // namespace floodgate::guard
