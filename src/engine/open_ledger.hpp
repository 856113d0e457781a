// The ledger of whichever mode the settings name.

#pragma once

#include <memory>

#include "settings.hpp"
#include "store/sql.hpp"

namespace floodgate {

// Throws with one clear line when it cannot be opened.
std::unique_ptr<store::database> open_database(const settings& s);

}  // namespace floodgate
