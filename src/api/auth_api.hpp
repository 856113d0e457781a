// Accounts: register, log in, log out, and the present user.
//
// Registering and logging in hash a password, which takes tens of milliseconds. So they have two
// steps. The first looks the phone number up, checks the limits (guard/login_limits.hpp) and
// decides in which queue the second waits: log-ins of known phone numbers go first. An unknown
// phone number and a wrong password get the same answer at the same cost. Registering does tell
// whether a phone number is taken, because an honest buyer must know. It is limited by address, in
// a bucket of its own, so that it never keeps a user from logging in.
//
// Neither phone numbers nor tokens are logged; what happened is (guard/security_events.hpp).

#pragma once

#include "api/services.hpp"

namespace floodgate::api {

// {phone, password, nickname} -> 201 {token, user, expires_at}; 409 already_exists; 429
first_answer begin_register(services& with, const call& c);
// {phone, password, code?} -> 200, the same; 401 wrong_credentials, second_factor_required; 429
first_answer begin_log_in(services& with, const call& c);
// -> 204; from then on the token is invalid
reply log_out(services& with, const call& c);
// -> 200 {id, phone, nickname, role}
reply me(services& with, const call& c);

// Removes blanks, hyphens and the +86 of a mainland mobile number, so that one number is one
// account, however it is typed.
std::string normalised_phone(std::string_view text);

}  // namespace floodgate::api
