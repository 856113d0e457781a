// What the admins' handlers share.

#pragma once

#include <string>

#include "api/services.hpp"
#include "shop/audit_trail.hpp"

namespace floodgate::api {

// The admin who calls, for the catalogue desk.
shop::actor admin_of(const call& c);

// The audit line of an act; the ledger writes both together.
ledger::audit_line line_for(const call& c, const shop::act& done);
using shop::subject_of;

// 201 with a Location header.
reply created(const std::string& path, const boost::json::object& body);

}  // namespace floodgate::api
