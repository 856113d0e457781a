// Order numbers: 64 bits, in order of time, unique across nodes and restarts.
//
//   | 0 | 41 bits: ms since 2024-01-01 | 10 bits: node | 12 bits: count within the ms |
//
// 41 bits last until 2093. When the clock goes back, no number repeats: the generator stays at the
// latest millisecond it has used and counts on. When the 4096 numbers of a millisecond are used
// up, it goes on with the next millisecond before that has come.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "sale/ids.hpp"

namespace floodgate::sale {

inline constexpr std::uint32_t node_max = 1023;

class order_numbers {
public:
    // Asserts node <= node_max.
    explicit order_numbers(std::uint32_t node);

    order_no next(instant now);

    // Numbers given out before a restart: the next one will be larger than `seen`.
    void skip_past(order_no seen);

private:
    std::uint64_t node_bits_;
    std::uint64_t last_ = 0;  // time and count of the latest number, without the node bits
};

instant issued_at(order_no no);

// Decimal digits, 1 to 2^63-1, no sign, no leading zero; nothing for anything else.
std::optional<order_no> parse_order_no(std::string_view text);
std::string to_text(order_no no);

}  // namespace floodgate::sale
