// Switches.

#include "ledger/schema_steps.hpp"

namespace floodgate::ledger {

statements operations_tables() { return {}; }

}  // namespace floodgate::ledger
