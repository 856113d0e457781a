// What is sold, when, and on which terms.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "sale/ids.hpp"
#include "sale/user.hpp"  // external_id_bytes_max

namespace floodgate::sale {

struct product {
    product_id id;
    std::string title;
    std::string description;
    std::vector<std::string> pictures;  // addresses
    fen list_price;
    std::string external_id{};  // what the shop's own systems call it; empty: they have no name
    std::string metadata{};     // a small flat JSON object of the shop's; empty: {}
};

// 场次: a time window in which sales open together. A sale is open from starts_at (included) to
// ends_at (excluded).
struct round {
    round_id id;
    std::string title;
    instant starts_at;
    instant ends_at;
    std::string external_id{};  // as of a product
};

enum class sale_state : std::uint8_t {
    draft = 1,  // being prepared: only admins see it
    published,  // shown, warmed up, open in its window
    paused,     // shown, but nobody may buy
    ended,      // ended by an operator: never opens again
};

// One product in one round.
struct sale {
    sale_id id;
    product_id product;
    round_id round;
    fen price;
    points price_points;      // 0 = cannot be paid in points
    std::int64_t stock = 0;   // units in total, sold or not
    std::uint32_t limit = 1;  // units a buyer may hold or have bought
    std::uint32_t pay_within_s = 900;
    // Whether units that were refunded go back on sale. Otherwise they are taken out of the stock.
    bool resell_refunded = true;
    points earns_points;  // what a buyer who pays with money earns for each unit
    sale_state state = sale_state::draft;
    instant starts_at;  // copied from the round
    instant ends_at;
    // Grows with every change of these terms. Two changes may reach the gate of a cluster in the
    // wrong order; it keeps the one with the higher revision. 0: unknown.
    std::int64_t revision = 0;
    std::string external_id{};  // as of a product
    std::string metadata{};
};

// Limits on what an admin may enter. A value beyond them is answered with a clear error.
inline constexpr std::int64_t price_fen_max = 1'000'000'000'00;
inline constexpr std::int64_t points_max = 1'000'000'000'000;
inline constexpr std::int64_t stock_max = 1'000'000'000;
inline constexpr std::uint32_t limit_max = 1000;
inline constexpr std::uint32_t pay_within_s_max = 7 * 24 * 3600;
inline constexpr std::size_t title_bytes_max = 200;
inline constexpr std::size_t description_bytes_max = 20'000;
inline constexpr std::size_t pictures_max = 20;
inline constexpr std::size_t picture_bytes_max = 500;
inline constexpr std::size_t metadata_bytes_max = 2048;
inline constexpr std::size_t metadata_keys_max = 32;

// "draft", "published", "paused", "ended": the words of JSON and SQL.
const char* to_text(sale_state state);
std::optional<sale_state> parse_sale_state(std::string_view text);

// Visible ASCII characters, 1 to external_id_bytes_max of them.
bool is_external_id(std::string_view text);

}  // namespace floodgate::sale
