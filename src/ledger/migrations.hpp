// The schema, as numbered steps forward. A step that was released is never edited: add another.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace floodgate::store {
class database;
}

namespace floodgate::ledger {

struct migration {
    std::int64_t version;                          // 1, 2, 3 ...
    std::span<const std::string_view> statements;  // with the dialect's {words}
};

// In order of version.
std::span<const migration> migrations();

// Runs the steps the database has not had; gives how many. None to run: one read, nothing is
// written. Throws std::runtime_error with one clear line when the schema is newer than the last
// step, or the database belongs to another program.
//
// SQLite runs each step in a transaction together with its number in the table schema_version.
// MySQL commits before and after every CREATE: there every statement done is noted in
// schema_progress, a step that was cut off half-way goes on from there, and what the statement at
// which it was cut off has made already is passed over. Any number of nodes may start at once.
std::size_t migrate(store::database& db, std::span<const migration> steps = migrations());

}  // namespace floodgate::ledger
