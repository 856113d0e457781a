// Inserts many rows with few statements, because a database server needs many rows in each.

#pragma once

#include <algorithm>
#include <span>
#include <string>

#include "store/sql/sql.hpp"

namespace floodgate::store {

struct insert_shape {
    std::string_view into;  // "orders (order_no, sale_id)"
    int columns;
};

// "INSERT INTO orders (order_no, sale_id) VALUES (?,?),(?,?)"
std::string insert_text(const insert_shape& shape, std::size_t rows);

// Inserts `rows` in order. `bind(statement, before, row)` binds a row's values to the places after
// `before`. If a key of one row is taken, none of its statement's rows is inserted, and `clash(span
// of those rows)` decides: it may insert them one by one, or throw.
template <class Row, class Bind, class Clash>
void insert_rows(connection& c, const insert_shape& shape, std::span<const Row> rows, Bind bind,
                 Clash clash) {
    std::size_t size = c.speaks().rows_per_insert;
    std::string sql = insert_text(shape, size);
    while (!rows.empty()) {
        if (rows.size() < size) {
            // The rest uses only a few different statement lengths, so that few are prepared.
            while (rows.size() < size) size = std::max<std::size_t>(1, size / 2);
            sql = insert_text(shape, size);
        }
        row_cursor once(c.cached(sql));
        const std::span<const Row> chunk = rows.first(size);
        int before = 0;
        for (const Row& row : chunk) {
            bind(once.asked(), before, row);
            before += shape.columns;
        }
        try {
            once.asked().step();
        } catch (const sql_error& e) {
            if (e.kind() != sql_failure::constraint_unique) throw;
            once.asked().reset();
            clash(chunk);
        }
        rows = rows.subspan(size);
    }
}

}  // namespace floodgate::store
