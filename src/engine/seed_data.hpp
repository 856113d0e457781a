// The first data of a new data directory: an admin, and with --demo something to buy.

#pragma once

#include "guard/passwords.hpp"
#include "ledger/ledger.hpp"

namespace floodgate::engine {

// Makes an admin if there is none. The random password is shown once, on standard output.
void create_first_admin(ledger::ledger& book, const guard::passwords& passwords, instant now);

// If there are no products: makes a few, a round that is open now, one that opens in two minutes, a
// buyer and an admin. Prints the log-ins in any case. Throws std::runtime_error.
void create_demo(ledger::ledger& book, const guard::passwords& passwords, instant now);

}  // namespace floodgate::engine
