// For tests, also those of folders that do not know the stores: store/sql/tampered_database.hpp.

#pragma once

#include "store/sql/tampered_database.hpp"

namespace floodgate::ledger {

using store::tamper;
using store::tampering;

}  // namespace floodgate::ledger
