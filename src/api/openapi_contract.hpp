// For tests: checks answers against openapi.json.

#pragma once

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

#include "api/reply.hpp"

namespace floodgate::api {

const boost::json::object& openapi_document();

// Why `method path` (the path as in the route table) may not give this answer; empty: it may.
std::string breach_of_contract(std::string_view method, std::string_view path, const reply& r);

// What is wrong with `value`, by the part of JSON Schema that openapi.json uses; empty: nothing.
std::string schema_fault(const boost::json::value& value, const boost::json::object& schema);

}  // namespace floodgate::api
