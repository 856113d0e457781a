// Fields of JSON that a channel sent. What is missing or of another type reads as empty.

#pragma once

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace floodgate::pay {

// Empty if the text is not one JSON object, or nested deeper than 16.
std::optional<boost::json::object> parse_json_object(std::string_view text);

std::string text_in(const boost::json::object& from, std::string_view name);
std::optional<std::int64_t> integer_in(const boost::json::object& from, std::string_view name);
const boost::json::object& object_in(const boost::json::object& from, std::string_view name);

}  // namespace floodgate::pay
