#include "pay/yuan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>

namespace floodgate::pay {

std::string to_yuan(sale::fen amount) {
    assert(amount.value >= 0);
    return fmt::format("{}.{:02}", amount.value / 100, amount.value % 100);
}

std::optional<sale::fen> parse_yuan(std::string_view text, zero_yuan zero) {
    const std::size_t point = std::min(text.find('.'), text.size());
    const std::string_view whole = text.substr(0, point);
    if (whole.empty() || (whole.size() > 1 && whole.front() == '0')) return std::nullopt;
    std::string digits(whole);
    if (point < text.size()) {
        const std::string_view decimals = text.substr(point + 1);
        if (decimals.empty() || decimals.size() > 2) return std::nullopt;
        digits += decimals;
        digits.append(2 - decimals.size(), '0');
    } else {
        digits += "00";
    }
    // from_chars would take a minus sign.
    if (!std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; }))
        return std::nullopt;
    sale::fen amount;
    const char* end = digits.data() + digits.size();
    if (std::from_chars(digits.data(), end, amount.value).ec != std::errc()) return std::nullopt;
    if (amount.value == 0 && zero == zero_yuan::refused) return std::nullopt;
    return amount;
}

}  // namespace floodgate::pay
