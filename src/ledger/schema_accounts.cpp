// External ids of users, API keys, disabled users.

#include "ledger/schema_steps.hpp"

namespace floodgate::ledger {

statements account_tables() { return {}; }

}  // namespace floodgate::ledger
