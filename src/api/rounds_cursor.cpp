#include "api/rounds_cursor.hpp"

#include <fmt/format.h>

#include <charconv>

namespace floodgate::api {
namespace {

constexpr std::size_t cursor_bytes_max = 62;  // three numbers of 64 bits, two dots

// Takes a number and the dot behind it, if any, off the text.
std::optional<std::int64_t> take_number(std::string_view& text) {
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    if (text.starts_with('.')) text.remove_prefix(1);
    return number;
}

}  // namespace

std::string to_text(const rounds_cursor& c) {
    return fmt::format("{}.{}.{}", c.starts_at_ms, c.round, c.sale);
}

std::optional<rounds_cursor> parse_rounds_cursor(std::string_view text) {
    if (text.size() > cursor_bytes_max) return std::nullopt;
    std::string_view rest = text;
    const auto starts_at = take_number(rest);
    const auto round = starts_at ? take_number(rest) : std::nullopt;
    const auto sale = round ? take_number(rest) : std::nullopt;
    if (!sale || *round < 1 || *sale < 0) return std::nullopt;
    const rounds_cursor found{*starts_at, *round, *sale};
    // Only one spelling is allowed: no leading zeros, nothing after the last number.
    if (to_text(found) != text) return std::nullopt;
    return found;
}

}  // namespace floodgate::api
