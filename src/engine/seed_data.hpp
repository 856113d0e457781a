// What a fresh data directory gets: an admin, and with --demo something to buy.

#pragma once

#include "guard/passwords.hpp"
#include "ledger/ledger.hpp"

namespace floodgate::engine {

// Unless there is an admin: one with a random password, shown this once on standard output.
void create_first_admin(ledger::ledger& book, const guard::passwords& passwords, instant now);

// Unless there are products: a few, a round that is open now and one that opens in two minutes, a
// buyer and an admin. Prints the log-ins either way. Throws std::runtime_error.
void create_demo(ledger::ledger& book, const guard::passwords& passwords, instant now);

}  // namespace floodgate::engine
