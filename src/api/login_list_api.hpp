// A user's own log-ins: list them, end one, end all others.
//
// A log-in is named by a number made from the hash of its token, from which neither can be found.
// Verified JWTs are not listed: their issuer ends them.

#pragma once

#include "api/services.hpp"

namespace floodgate::api {

// -> {logins: [{id, created_at, expires_at, address, current}]}
reply list_logins(services& with, const call& c);
// -> 204; 404
reply end_login(services& with, const call& c);
// -> 200 {ended}
reply end_other_logins(services& with, const call& c);

}  // namespace floodgate::api
