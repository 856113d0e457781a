// Every id and amount has a type of its own, so that one cannot be passed in place of another.

#pragma once

#include <cstdint>

#include "base/tagged.hpp"

namespace floodgate::sale {

using product_id = tagged<std::int64_t, struct product_tag>;
using round_id = tagged<std::int64_t, struct round_tag>;
using sale_id = tagged<std::int64_t, struct sale_tag>;
using user_id = tagged<std::int64_t, struct user_tag>;     // a buyer or an admin, from 1
using order_no = tagged<std::uint64_t, struct order_tag>;  // see order_number.hpp; 0 = none

using fen = tagged<std::int64_t, struct fen_tag>;        // money: 1 yuan = 100 fen
using points = tagged<std::int64_t, struct points_tag>;  // the price a buyer may pay in points

// The place of a promise in the line of promises: 1, 2, 3 ... without gaps. 0 = before the first.
using sequence = tagged<std::uint64_t, struct sequence_tag>;

}  // namespace floodgate::sale
