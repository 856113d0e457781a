// Roles, second factors and the chained audit.

#include "ledger/schema_steps.hpp"

namespace floodgate::ledger {

statements staff_tables() { return {}; }

}  // namespace floodgate::ledger
