// What a payment channel was asked and what it answered.

#include "ledger/schema_steps.hpp"

namespace floodgate::ledger {

statements payment_attempts() { return {}; }

}  // namespace floodgate::ledger
