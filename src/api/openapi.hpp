// The description of the API, as it stands in openapi.json, inside the program.

#pragma once

#include <string_view>

namespace floodgate::api {

std::string_view openapi_json();

}  // namespace floodgate::api
