// Accounts: register, log in, log out, who am I.
//
// register_user and log_in hash a password: tens of milliseconds, so they run on a pool of their
// own. Attempts are limited per address and per phone number before anything is hashed. An unknown
// phone number and a wrong password get the same answer at the same cost. Neither phone numbers nor
// tokens are logged.

#pragma once

#include "api/services.hpp"

namespace floodgate::api {

// {phone, password, nickname} -> 201 {token, user, expires_at}; 409 already_exists; 429
reply register_user(services& with, const call& c);
// {phone, password} -> 200, the same; 401 wrong_credentials; 429
reply log_in(services& with, const call& c);
// -> 204; the token is worth nothing from then on
reply log_out(services& with, const call& c);
// -> 200 {id, phone, nickname, role}
reply me(services& with, const call& c);

// Without blanks and hyphens, and without the +86 of a mainland mobile number: however a buyer
// types their number, it is one account.
std::string normalised_phone(std::string_view text);

}  // namespace floodgate::api
