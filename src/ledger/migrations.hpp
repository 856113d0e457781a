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

// Runs the steps the database has not had, each in a transaction together with its number in the
// table schema_version; gives how many. None to run: nothing is written. Throws std::runtime_error
// with one clear line when the schema is newer than the last step. MySQL commits before and after
// every CREATE: there, a step that failed half-way has to be cleared by hand.
std::size_t migrate(store::database& db, std::span<const migration> steps = migrations());

}  // namespace floodgate::ledger
