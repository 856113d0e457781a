// Orders as buyers see them in JSON.

#pragma once

#include <boost/json/object.hpp>

#include "gate/turnstile.hpp"
#include "sale/order.hpp"

namespace floodgate::edge {

boost::json::object to_json(const sale::order& o);
// Promised and not in the ledger yet.
boost::json::object to_json(const gate::turnstile::promised& p);

}  // namespace floodgate::edge
