#include "api/account_json.hpp"

#include <utility>

#include "api/permissions.hpp"

namespace floodgate::api {

boost::json::object to_json(const sale::user& u) {
    boost::json::object out{{"id", u.id.value}};
    if (!u.phone.empty()) out["phone"] = u.phone;
    out["nickname"] = u.nickname;
    out["role"] = to_word(u.role);
    boost::json::array permissions;
    for (const access a : permissions_of(u.role)) permissions.emplace_back(to_word(a));
    out["permissions"] = std::move(permissions);
    out["must_change_password"] = u.must_change_password;
    if (!u.external_id.empty()) out["external_id"] = u.external_id;
    return out;
}

const char* explain(guard::account_fault fault) {
    using enum guard::account_fault;
    switch (fault) {
    case phone_characters: return "phone must be digits, after an optional +";
    case phone_too_short: return "phone must have 5 digits or more";
    case phone_too_long: return "phone must have 20 digits or fewer";
    case password_too_short: return "password must have 8 characters or more";
    case password_too_long: return "password must have 128 bytes or fewer";
    case password_is_phone: return "password must not be the phone number";
    case password_common: return "password must not be one of the commonest";
    case nickname_empty: return "nickname must not be empty";
    case nickname_too_long: return "nickname must have 64 bytes or fewer";
    case nickname_not_utf8: return "nickname must be valid UTF-8";
    case nickname_control: return "nickname must not have hidden characters";
    case nickname_reserved: return "nickname must not be a name of the shop's staff";
    }
    return "not allowed";
}

}  // namespace floodgate::api
