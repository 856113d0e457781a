// Amounts as the channels write them: yuan with two decimals, "99.00". Never through a double.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sale/ids.hpp"

namespace floodgate::pay {

// The amount must not be negative.
std::string to_yuan(sale::fen amount);

enum class zero_yuan : std::uint8_t { refused = 1, allowed };

// Reads "99", "99.0" and "99.00". Empty for anything else: signs, exponents, blanks, a third
// decimal, a missing digit on either side of the point, needless leading zeros, more fen than an
// int64 holds; and for zero unless it is allowed.
std::optional<sale::fen> parse_yuan(std::string_view text, zero_yuan zero = zero_yuan::refused);

}  // namespace floodgate::pay
