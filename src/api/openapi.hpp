// The description of the API: the text of openapi.json, embedded in the program.

#pragma once

#include <string_view>

namespace floodgate::api {

std::string_view openapi_json();

}  // namespace floodgate::api
