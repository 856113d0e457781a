// How products, rounds and sales are read from their rows.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sale/catalogue.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {

inline constexpr std::string_view all_products =
    "SELECT id, title, description, list_price_fen, external_id, metadata FROM products ";
sale::product read_product(store::row_cursor& rows);  // without its pictures
void hang_pictures(store::connection& c, std::vector<sale::product>& products);
void add_pictures(store::connection& c, const sale::product& p);

inline constexpr std::string_view all_rounds =
    "SELECT id, title, starts_ms, ends_ms, external_id FROM rounds ";
sale::round read_round(store::row_cursor& rows);

inline constexpr std::string_view all_sales =
    "SELECT s.id, s.product_id, s.round_id, s.price_fen, s.price_points, s.stock, "
    "s.buyer_limit, s.pay_within_s, s.resell_refunded, s.earns_points, r.starts_ms, r.ends_ms, "
    "s.revision, s.external_id, s.metadata, s.state "
    "FROM sales s JOIN rounds r ON r.id = s.round_id";
sale::sale read_sale(store::row_cursor& rows);

// Whether the values are within the limits of sale/catalogue.hpp.
bool makes_sense(const sale::sale& s);
bool makes_sense(const sale::round& r);

// A text that is stored as NULL when it is empty.
inline std::optional<std::string_view> or_null(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional<std::string_view>(text);
}

// Inside the caller's transaction. They give the id.
sale::product_id insert_product(store::connection& c, const sale::product& p);
bool rewrite_product(store::connection& c, const sale::product& p);  // false: there is none
sale::round_id insert_round(store::connection& c, const sale::round& r);
sale::sale_id insert_sale(store::connection& c, const sale::sale& s);
bool rewrite_terms(store::connection& c, const sale::sale& s);

}  // namespace floodgate::ledger
