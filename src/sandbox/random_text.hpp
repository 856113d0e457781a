// Numbers, codes and nonces as the channels make them. Random enough not to collide; no secrets.

#pragma once

#include <cstddef>
#include <string>

#include "base/clock.hpp"

namespace floodgate::sandbox {

std::string random_digits(std::size_t count);
std::string random_letters(std::size_t count);  // and digits

// The number a channel gives a trade or refund: `prefix`, the date in Beijing, digits; 28 in all.
std::string new_number(const std::string& prefix, instant now);

}  // namespace floodgate::sandbox
