// Accounts: register, log in, log out, who am I.
//
// Registering and logging in hash a password: tens of milliseconds. So they take two steps. The
// first looks the phone number up, asks the limits (guard/login_limits.hpp), and decides in which
// queue the second waits: log-ins of known phone numbers go before all others. An unknown phone
// number and a wrong password get the same answer at the same cost. Registering says whether a
// phone number is taken: there is no other way to tell an honest buyer. It is limited by address,
// in a bucket of its own, so that it never keeps anybody from logging in.
//
// Neither phone numbers nor tokens are logged; what happened is (guard/security_events.hpp).

#pragma once

#include "api/services.hpp"

namespace floodgate::api {

// {phone, password, nickname} -> 201 {token, user, expires_at}; 409 already_exists; 429
first_answer begin_register(services& with, const call& c);
// {phone, password} -> 200, the same; 401 wrong_credentials; 429
first_answer begin_log_in(services& with, const call& c);
// -> 204; the token is worth nothing from then on
reply log_out(services& with, const call& c);
// -> 200 {id, phone, nickname, role}
reply me(services& with, const call& c);

// Without blanks and hyphens, and without the +86 of a mainland mobile number: however a buyer
// types their number, it is one account.
std::string normalised_phone(std::string_view text);

}  // namespace floodgate::api
