// A place in the list of rounds, as a text that clients send back: "1794736800000.2.17".
//
// It names the entry at that place, not how many entries come before it. So the next page begins at
// the right place even if rounds have ended or were added in between.

#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace floodgate::api {

// In the order of the list: rounds by their opening, the sales of a round by their id.
struct rounds_cursor {
    std::int64_t starts_at_ms = 0;
    std::int64_t round = 0;
    std::int64_t sale = 0;  // 0: the round has none

    // clang-tidy 14 takes the 0 that the compiler compares with for a null pointer.
    friend auto operator<=>(const rounds_cursor&,
                            const rounds_cursor&) = default;  // NOLINT(modernize-use-nullptr)
};

std::string to_text(const rounds_cursor& c);
// Empty for any text that to_text() does not give.
std::optional<rounds_cursor> parse_rounds_cursor(std::string_view text);

}  // namespace floodgate::api
