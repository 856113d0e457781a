// Opens the ledger's database for the mode that the settings name.

#pragma once

#include <memory>

#include "engine/settings.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::engine {

// Throws with one clear line when it cannot be opened.
std::unique_ptr<store::database> open_database(const settings& s);

}  // namespace floodgate::engine
