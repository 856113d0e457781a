#include "api/permissions.hpp"

namespace floodgate::api {

bool may(sale::role who, access a) {
    return !(is_for_staff(a) || is_for_machines(a)) || who == sale::role::admin;
}

}  // namespace floodgate::api
