// Schemas as numbered steps. A step that was released is never edited; add another one.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace floodgate::store {

class database;

struct migration {
    std::int64_t version;                          // 1, 2, 3 ...
    std::span<const std::string_view> statements;  // with the dialect's {words}
};

// The tables of one folder. Several folders may share a database, because each has tables of
// versions of its own.
struct schema {
    std::string_view folder;           // "ledger": for log events and error texts
    std::string_view prefix;           // of its tables of versions: "" or "points_"
    std::span<const migration> steps;  // in order of version
};

// Runs the steps that the database has not had and gives their number. If there are none, it reads
// once and writes nothing. Throws std::runtime_error with one clear line when the schema is newer
// than the last step, or the database belongs to another program.
//
// SQLite runs each step in one transaction, together with its number in the table schema_version.
// MySQL commits before and after every CREATE, so there every statement done is noted in
// schema_progress. A step that was cut off goes on from there; if the statement at which it was cut
// off had taken effect already, it is skipped. Any number of nodes may start at once.
std::size_t migrate(database& db, const schema& wanted);

}  // namespace floodgate::store
