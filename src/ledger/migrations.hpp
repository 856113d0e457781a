// The ledger's schema, as the numbered steps in schema.cpp.

#pragma once

#include "store/sql/migrations.hpp"

namespace floodgate::ledger {

using store::migration;

std::span<const migration> migrations();

// See store/sql/migrations.hpp.
inline std::size_t migrate(store::database& db, std::span<const migration> steps = migrations()) {
    return store::migrate(db, {"ledger", "", steps});
}

}  // namespace floodgate::ledger
