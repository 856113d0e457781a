// The feed of order events and its webhooks.

#include "ledger/schema_steps.hpp"

namespace floodgate::ledger {

statements feed_tables() { return {}; }

}  // namespace floodgate::ledger
