// Statements about many rows at once, named by their ids.
//
// A statement has the list of ids as its last places. Lists are prepared in a few lengths only; the
// last id is repeated in the places that are left.

#pragma once

#include <algorithm>
#include <span>
#include <string>

#include "store/sql/sql.hpp"

namespace floodgate::ledger {

inline constexpr std::size_t ids_per_statement = 256;

// How many places are prepared for so many ids: 1, 4, 16, 64 or 256.
std::size_t places_for(std::size_t ids);
// `words`, so many times, with `between` between them.
std::string repeated(std::string_view words, std::size_t times, std::string_view between = "");
// `sql` with "(?,?,?,?)" in place of {}.
std::string with_places(std::string_view sql, std::size_t places);

// Calls use(part, places) for as many ids as one statement takes, until all had their turn.
template <class Id, class Use>
void in_parts(std::span<const Id> ids, Use use) {
    while (!ids.empty()) {
        const auto part = ids.first(std::min(ids.size(), ids_per_statement));
        use(part, places_for(part.size()));
        ids = ids.subspan(part.size());
    }
}

template <class Id>
void bind_ids(store::statement& s, std::size_t before, std::span<const Id> ids,
              std::size_t places) {
    for (std::size_t i = 0; i < places; ++i)
        store::bind_value(s, static_cast<int>(before + i) + 1, ids[std::min(i, ids.size() - 1)]);
}

// Binds `values` and then ids for each statement, and calls use(cursor), which steps it.
template <class Id, class Use, class... Values>
void ask_for_ids(store::connection& c, std::string_view sql, const std::vector<Id>& all, Use use,
                 const Values&... values) {
    in_parts(std::span<const Id>(all), [&](std::span<const Id> ids, std::size_t places) {
        store::row_cursor rows(c.cached(with_places(sql, places)));
        store::bind_all(rows.asked(), values...);
        bind_ids(rows.asked(), sizeof...(values), ids, places);
        use(rows);
    });
}

// "UPDATE orders ...": without the hint a database may choose the index of the orders' states, read
// all orders of a state, and wait for those that others have locked.
inline std::string update_by_key(store::connection& c, std::string_view table) {
    return std::string("UPDATE ").append(table).append(c.speaks().by_key);
}

// Runs a change; gives how many rows were found.
template <class Id, class... Values>
std::int64_t run_for_ids(store::connection& c, std::string_view sql, const std::vector<Id>& all,
                         const Values&... values) {
    std::int64_t found = 0;
    const auto step = [&](store::row_cursor& once) {
        once.asked().step();
        found += c.changes();
    };
    ask_for_ids(c, sql, all, step, values...);
    return found;
}

}  // namespace floodgate::ledger
