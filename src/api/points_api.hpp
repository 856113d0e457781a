// The calls about points (积分): a buyer's own account, and an admin's look at it and grants.
//
// 404 not_found with a detail when the shop has no points (`points.enabled`).

#pragma once

#include "api/services.hpp"

namespace floodgate::api {

// ?limit=1..100 (20) &before=LINE -> {available, reserved, pending, lines, next_before}, newest
// first
reply my_points(services& with, const call& c);

// The same for any user, with the admin who made a grant.
reply get_points(services& with, const call& c);
// {amount, reason, request}: gives points, or takes some (below 0) -> 200 with the account.
// `request` makes a repeated call one grant. 409 already_exists: it was used for another grant.
// 409 conflict: fewer points are available, or the account would hold too many.
reply grant_points(services& with, const call& c);

}  // namespace floodgate::api
