// Accounts as JSON, and what may be wrong with them in words.

#pragma once

#include <boost/json/object.hpp>

#include "guard/account_rules.hpp"
#include "sale/user.hpp"

namespace floodgate::api {

// {id, phone, nickname, role, permissions, must_change_password}; a user without a phone number has
// no phone, one with an external id has external_id.
boost::json::object to_json(const sale::user& u);

const char* explain(guard::account_fault fault);

}  // namespace floodgate::api
