// Admins' handlers for the accounts of staff: ledger/staff_book.hpp.

#pragma once

#include "api/services.hpp"

namespace floodgate::api {

// -> 200 {staff: [...]}
reply list_staff(services& with, const call& c);
// {phone, nickname, role, password?} -> 201; without a password with one_time_password, which must
// be changed at the first log-in and is shown once; 409 already_exists
reply add_staff(services& with, const call& c);
// {role} -> 200; their log-ins end; 409 conflict: the last active admin
reply set_staff_role(services& with, const call& c);
// -> 200 {one_time_password}; their log-ins end
reply reset_staff_password(services& with, const call& c);
// -> 204; 404: they have none
reply remove_staff_second_factor(services& with, const call& c);

}  // namespace floodgate::api
