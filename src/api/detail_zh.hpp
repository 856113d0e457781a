// The Chinese of the details that problems carry.
//
// Handlers write details in English, once, where the fault is found. problem_reply() looks them up
// here for clients that read Chinese, as gettext does with its message ids. A detail with numbers
// or names in it is found by its pattern. A detail without an entry stays English; the tests of the
// handlers fail then (openapi_contract.cpp).

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace floodgate::api {

std::optional<std::string> in_chinese(std::string_view detail);

}  // namespace floodgate::api
