// Opens the databases for the mode that the settings name.

#pragma once

#include <memory>

#include "engine/settings.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::engine {

// The ledger's. Throws with one clear line when it cannot be opened.
std::unique_ptr<store::database> open_database(const settings& s);

// That of the points: a file beside the ledger, as durable; or in a cluster the same database, with
// connections of its own, so that payments in points and the ledger do not wait for each other's.
std::unique_ptr<store::database> open_points_database(const settings& s);

inline constexpr std::size_t points_connections_max = 6;  // in a cluster

}  // namespace floodgate::engine
