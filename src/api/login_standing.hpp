// What a log-in is good for (sale::standing), and how that changes once the user has done what was
// missing.

#pragma once

#include "api/services.hpp"

namespace floodgate::api {

// For a user who logs in now. A password that another person knows comes first.
result<sale::standing> standing_for(services& with, const sale::user& u);

// After a change of the password or the second factor: the log-in that made the call is judged
// again, here and on every other node. A failure is logged; logging in again has the same effect.
void renew_standing(services& with, const call& c);

// Empty: the code is right, or the user has no second factor. The code is used up.
std::optional<reply> refusal_by_second_factor(services& with, const call& c, sale::user_id user,
                                              const std::optional<std::string>& code);

// Log-ins, failures and refused acts of staff are audit lines. A failure to write them is logged.
void audit_staff(services& with, const call& c, sale::user_id user, const char* action);

}  // namespace floodgate::api
