// The token exchange: a shop that knows its users itself gets log-ins for them with an API key.

#pragma once

#include "api/services.hpp"

namespace floodgate::api {

// {external_id, nickname} -> 200 {token, user, expires_at}; 403 account_disabled. A user is made at
// first sight.
reply exchange_login(services& with, const call& c);

}  // namespace floodgate::api
