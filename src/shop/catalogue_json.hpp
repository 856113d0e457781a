// Products, rounds and sales as JSON, for the answers of the API and for the audit lines.

#pragma once

#include <boost/json/object.hpp>

#include "sale/catalogue.hpp"

namespace floodgate::shop {

boost::json::value external_id_json(const std::string& id);  // null: there is none
boost::json::object metadata_json(const std::string& text);  // {} if there is none

boost::json::object to_json(const sale::product& p);
boost::json::object to_json(const sale::round& r);
// As admins see it: flat, with the ids of its product and round.
boost::json::object to_json(const sale::sale& s);

}  // namespace floodgate::shop
