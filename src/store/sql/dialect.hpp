// The words of SQL in which databases differ. All other SQL is common to them.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace floodgate::store {

struct dialect {
    std::string_view name;
    std::string_view auto_id;        // column type: a 64-bit key the database assigns
    std::string_view row_id;         // column type: a 64-bit key the program assigns
    std::string_view table_end;      // after a CREATE TABLE's closing bracket
    std::string_view clustered_end;  // the same, for a table stored in the order of its primary key
    std::string_view insert_ignore;  // INSERT that skips rows which exist already
    // After a SELECT in a write transaction: keeps other writers from the rows it found.
    std::string_view for_update;
    std::size_t rows_per_insert;  // how many rows one INSERT should carry
    std::string_view also_key;    // after a column that became the primary key only here
    // Whether a transaction that changes the schema can be rolled back.
    bool transactional_schema;
    // A hint after a table's name, for queries where the database would not choose the best index;
    // {} is the index. Empty: not needed.
    std::string_view by_index;
    // The same for rows that are named by their primary key: no other index is considered.
    std::string_view by_key;
};

inline constexpr dialect sqlite_dialect{
    .name = "sqlite",
    .auto_id = "INTEGER PRIMARY KEY",  // Only this very word makes it the row id.
    .row_id = "INTEGER PRIMARY KEY",
    .table_end = "",
    .clustered_end = " WITHOUT ROWID",
    .insert_ignore = "INSERT OR IGNORE",
    .for_update = "",  // There is only one writer at a time.
    .rows_per_insert = 1,
    .also_key = "",
    .transactional_schema = true,
    .by_index = "",
    .by_key = " NOT INDEXED",  // The row id can be used nevertheless.
};

// For MariaDB, MySQL and TiDB. Text compares byte by byte, as in SQLite.
inline constexpr dialect mysql_dialect{
    .name = "mysql",
    .auto_id = "BIGINT AUTO_INCREMENT PRIMARY KEY",
    .row_id = "BIGINT PRIMARY KEY",
    .table_end = " ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin",
    .clustered_end = " ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin",
    .insert_ignore = "INSERT IGNORE",
    .for_update = " FOR UPDATE",
    .rows_per_insert = 256,
    .also_key = " PRIMARY KEY",  // Galera wants one in every table.
    .transactional_schema = false,
    .by_index = " FORCE INDEX ({})",
    .by_key = " FORCE INDEX (PRIMARY)",
};

// Puts the dialect's words in place of {auto_id}, {row_id}, {table_end}, {clustered_end},
// {also_key} and {insert_ignore}. Throws std::runtime_error for any other {word}.
std::string adapt(std::string_view sql, const dialect& to);

}  // namespace floodgate::store
