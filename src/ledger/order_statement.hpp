// Statements about many orders at once.
//
// A statement has a list of order numbers as its last places. Lists are prepared in a few lengths
// only; the last number is repeated in the places that are left.

#pragma once

#include <algorithm>
#include <span>
#include <string>

#include "sale/ids.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {

inline constexpr std::size_t orders_per_statement = 256;

// How many places are prepared for so many orders: 1, 4, 16, 64 or 256.
std::size_t places_for(std::size_t orders);
// `sql` with "(?,?,?,?)" in place of {}.
std::string with_places(std::string_view sql, std::size_t places);

// Binds `values` and a part of the orders for each statement, and calls use(cursor) to step it.
template <class Use, class... Values>
void for_orders(store::connection& c, std::string_view sql, std::span<const sale::order_no> orders,
                Use use, const Values&... values) {
    while (!orders.empty()) {
        const auto part = orders.first(std::min(orders.size(), orders_per_statement));
        const std::size_t places = places_for(part.size());
        store::row_cursor rows(c.cached(with_places(sql, places)));
        store::bind_all(rows.asked(), values...);
        for (std::size_t i = 0; i < places; ++i)
            store::bind_value(rows.asked(), static_cast<int>(sizeof...(values) + i) + 1,
                              part[std::min(i, part.size() - 1)]);
        use(rows);
        orders = orders.subspan(part.size());
    }
}

// Runs a change; gives how many orders were found.
template <class... Values>
std::int64_t run_for_orders(store::connection& c, std::string_view sql,
                            std::span<const sale::order_no> orders, const Values&... values) {
    std::int64_t found = 0;
    const auto step = [&](store::row_cursor& once) {
        once.asked().step();
        found += c.changes();
    };
    for_orders(c, sql, orders, step, values...);
    return found;
}

}  // namespace floodgate::ledger
