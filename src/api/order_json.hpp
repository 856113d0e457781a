// An order as buyers see it.

#pragma once

#include <boost/json/object.hpp>

#include "api/showcase.hpp"
#include "sale/order.hpp"

namespace floodgate::api {

// A queued order has no amount yet: only the ledger knows it.
boost::json::object to_json(const sale::order& o);
// The same with the product that was bought, if the labels have its sale.
boost::json::object to_json(const sale::order& o, const sale_labels& labels);

// For reading many orders: the labels of now.
inline boost::json::object to_json(const sale::order& o, const showcase& shown) {
    return to_json(o, *shown.labels());
}

}  // namespace floodgate::api
