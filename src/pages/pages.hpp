// The pages for browsers as web/ built them: one packed file (web/tools/pack.mjs), embedded in the
// program. api/web_pages.hpp reads it.

#pragma once

#include <string_view>

namespace floodgate::pages {

std::string_view packed();

}  // namespace floodgate::pages
