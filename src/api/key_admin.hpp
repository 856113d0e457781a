// Admins' handlers for API keys. The secret is shown once, in the answer to the creation; the
// ledger has its hash.

#pragma once

#include "api/services.hpp"

namespace floodgate::api {

// ?before=&limit= -> {keys: [...], next_before}
reply list_keys(services& with, const call& c);
// {name, scopes, expires_at?} -> 201 {key: the secret, ...}; 409 too many keys
reply create_key(services& with, const call& c);
// -> 200, the key; from then on no node takes it. 404
reply revoke_key(services& with, const call& c);

}  // namespace floodgate::api
