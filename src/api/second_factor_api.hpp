// The second factor of the user who calls: guard/totp.hpp. The secret is shown once, when it is
// made, and never again; recovery codes likewise.

#pragma once

#include "api/services.hpp"

namespace floodgate::api {

// -> 200 {secret, uri}; 409 conflict: there is one
reply begin_second_factor(services& with, const call& c);
// {code} -> 200 {recovery_codes}; 401 second_factor_required; 404; 409 conflict: it is confirmed
reply confirm_second_factor(services& with, const call& c);
// {code} -> 204; 401 second_factor_required; 404
reply remove_second_factor(services& with, const call& c);

// The answer to an act that the role of a member of staff does not allow: 403, with an audit line.
reply refuse_act(services& with, const call& c);

}  // namespace floodgate::api
