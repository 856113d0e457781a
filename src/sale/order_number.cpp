#include "sale/order_number.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>

namespace floodgate::sale {
namespace {

constexpr std::int64_t epoch_ms = 1'704'067'200'000;  // 2024-01-01T00:00:00Z
constexpr unsigned count_bits = 12;
constexpr unsigned node_bits = 10;
constexpr std::uint64_t count_mask = (1U << count_bits) - 1;

}  // namespace

order_numbers::order_numbers(std::uint32_t node)
    : node_bits_(static_cast<std::uint64_t>(node) << count_bits) {
    assert(node <= node_max);
}

order_no order_numbers::next(instant now) {
    const std::int64_t since = std::max<std::int64_t>(to_ms(now) - epoch_ms, 0);
    const std::uint64_t fresh = static_cast<std::uint64_t>(since) << count_bits;
    last_ = std::max(last_ + 1, fresh);
    const std::uint64_t time = last_ >> count_bits;
    return {time << (count_bits + node_bits) | node_bits_ | (last_ & count_mask)};
}

void order_numbers::skip_past(order_no seen) {
    const std::uint64_t time = seen.value >> (count_bits + node_bits);
    // Another node's number has another count: skipping its whole millisecond is always safe.
    last_ = std::max(last_, time << count_bits | count_mask);
}

instant issued_at(order_no no) {
    const std::uint64_t time = no.value >> (count_bits + node_bits);
    return from_ms(static_cast<std::int64_t>(time) + epoch_ms);
}

std::optional<order_no> parse_order_no(std::string_view text) {
    if (text.empty() || text.front() == '0') return std::nullopt;
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end || value < 1) return std::nullopt;
    return order_no{static_cast<std::uint64_t>(value)};
}

std::string to_text(order_no no) { return std::to_string(no.value); }

}  // namespace floodgate::sale
