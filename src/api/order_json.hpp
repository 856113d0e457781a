// An order as buyers see it.

#pragma once

#include <boost/json/object.hpp>

#include "gate/turnstile.hpp"
#include "sale/order.hpp"

namespace floodgate::api {

boost::json::object to_json(const sale::order& o);
// One that is still on its way to the ledger: `queued`.
boost::json::object to_json(const gate::turnstile::promised& p);

}  // namespace floodgate::api
