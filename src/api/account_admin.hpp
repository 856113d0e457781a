// Staff's handlers for users: look them up, disable and enable them, remove their personal data,
// give out a code for a new password.

#pragma once

#include "api/services.hpp"

namespace floodgate::api {

// ?phone=|external_id= (exactly) or ?before=&limit= -> {users, next_before}
reply list_users(services& with, const call& c);
reply get_user(services& with, const call& c);
// {reason} -> 200, the user. Their log-ins, sockets and tickets end on every node. 409: yourself
reply disable_user(services& with, const call& c);
reply enable_user(services& with, const call& c);  // 409: the user was forgotten
// {reason} -> 200, the user without name, phone number and external id; the orders stay. 409: staff
reply forget_user(services& with, const call& c);
// -> 201 {code, expires_at}: for POST /auth/reset. Support may help buyers, which is its work;
// only those who may manage users may do it for staff, or support could become admin.
reply make_reset_code(services& with, const call& c);

}  // namespace floodgate::api
