// The frame of the sandbox's pages: plain HTML, no scripts.

#pragma once

#include <string>
#include <string_view>

#include "pay/html_text.hpp"

namespace floodgate::sandbox {

using pay::html_escaped;

// A whole page. `title` is text, `content` is HTML.
std::string html_page(std::string_view title, std::string_view content);

// A form with one button, which posts nothing to `where`.
std::string html_button(std::string_view where, std::string_view label);

}  // namespace floodgate::sandbox
