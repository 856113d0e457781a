// Changing one's password.
//
// Like a log-in it hashes, so it has two steps: see auth_api.hpp. Wrong old passwords count as
// failed log-ins of this account and address, or a stolen log-in could be used to guess the
// password.

#pragma once

#include "api/services.hpp"

namespace floodgate::api {

// {old_password, new_password} -> 204, the user's other log-ins have ended; 401 wrong_credentials;
// 409 conflict; 429
first_answer begin_change_password(services& with, const call& c);

// {phone, code, password} -> 204: the code is one that staff gave out (account_admin.hpp). All
// log-ins of the user have ended. 401 wrong_credentials, the same for an unknown phone number; 429
first_answer begin_reset_password(services& with, const call& c);

}  // namespace floodgate::api
