// SQLite as the database: one file, one writer, readers that never wait for it.
//
// It uses WAL with synchronous=FULL: a commit is on the disk before commit() returns. This allows
// the journal to delete segments once the ledger holds their promises.
//
// Every connection is opened at the start and stays open, and temporary data stays in memory. So
// SQLite needs no file descriptor later.

#pragma once

#include <memory>
#include <string>

#include "base/clock.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::store {

struct sqlite_options {
    std::string path;  // created with mode 0600; ":memory:" for tests, gone at the end
    milliseconds busy_timeout{5000};  // how long to wait for another process
    std::int64_t cache_kib = 65536;   // the writer's; readers lean on the system's page cache
    // A checkpoint copies the log into the file and syncs it. There is at most one for so many
    // pages (64 MiB), so few happen in a rush, and the log stays bounded.
    std::int64_t checkpoint_pages = 16384;
    std::size_t readers_max = 4;  // opened at the start; a fifth reader waits
};

// Throws sql_error with one clear line: cannot be opened, not a database, not Floodgate's.
std::unique_ptr<database> open_sqlite(const sqlite_options& options);

}  // namespace floodgate::store
