// Text inside HTML.

#pragma once

#include <string>
#include <string_view>

namespace floodgate::pay {

// For text between tags and for values in quotes.
std::string html_escaped(std::string_view text);

}  // namespace floodgate::pay
