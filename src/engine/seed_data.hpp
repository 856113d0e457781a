// The first data of a new data directory: an admin, and with --demo something to buy.

#pragma once

#include <string>

#include "guard/passwords.hpp"
#include "ledger/ledger.hpp"

namespace floodgate::engine {

struct first_admin_password {
    std::string given_in;  // a file with the password; empty: a random one is made
    std::string keep_in;   // the file for a random one, which only its owner can read
};
// Makes an admin if there is none. The password must be changed at the first log-in; it is never
// printed. Throws std::runtime_error.
void create_first_admin(ledger::ledger& book, const guard::passwords& passwords,
                        const first_admin_password& p, instant now);
// The first line of a file, without printing it anywhere. Throws std::runtime_error when it is no
// good password for this account.
std::string password_in(const std::string& file, const std::string& phone);

// If there are no products: makes a few, a round that is open now, one that opens in two minutes, a
// buyer and an admin. Prints the log-ins in any case. Throws std::runtime_error.
void create_demo(ledger::ledger& book, const guard::passwords& passwords, instant now);

}  // namespace floodgate::engine
