// The fields of products, rounds and sales in request bodies, the same in single calls, in bulk and
// in imported files.

#pragma once

#include "api/json_body.hpp"
#include "sale/catalogue_change.hpp"

namespace floodgate::api {

sale::product_change read_product(json_body& body);
sale::round_change read_round(json_body& body);
sale::terms_change read_terms(json_body& body);

// A line of a bulk upload: one JSON object with an external_id. Empty: `fault` says why not.
std::optional<sale::product_line> read_product_line(std::string_view text, body_fault& fault);
std::optional<sale::sale_line> read_sale_line(std::string_view text, body_fault& fault);

}  // namespace floodgate::api
