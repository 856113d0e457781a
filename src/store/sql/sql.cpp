#include "store/sql/sql.hpp"

#include <cstdlib>

namespace floodgate::store {

const char* to_text(sql_failure kind) {
    switch (kind) {
    case sql_failure::busy: return "busy";
    case sql_failure::full: return "full";
    case sql_failure::constraint_unique: return "constraint_unique";
    case sql_failure::constraint_foreign: return "constraint_foreign";
    case sql_failure::rejected: return "rejected";
    case sql_failure::corrupt: return "corrupt";
    case sql_failure::exists: return "exists";
    case sql_failure::conflict: return "conflict";
    case sql_failure::fenced: return "fenced";
    case sql_failure::other: return "other";
    }
    std::abort();  // A value outside the enum is a bug, not an input.
}

statement& connection::cached(std::string_view sql) {
    auto found = statements_.find(sql);
    if (found == statements_.end()) found = statements_.emplace(sql, prepare(sql)).first;
    return *found->second;
}

}  // namespace floodgate::store
