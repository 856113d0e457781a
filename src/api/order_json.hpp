// An order as buyers see it.

#pragma once

#include <boost/json/object.hpp>

#include "sale/order.hpp"

namespace floodgate::api {

// A queued order has no amount yet: only the ledger knows it.
boost::json::object to_json(const sale::order& o);

}  // namespace floodgate::api
