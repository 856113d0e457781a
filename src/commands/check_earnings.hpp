// The part of `floodgate check` that compares the points which buyers earn in the ledger with those
// in their accounts.

#pragma once

#include <string>
#include <vector>

namespace floodgate::ledger {
class earning_book;
}
namespace floodgate::store {
class database;
}

namespace floodgate::commands {

// One sentence for each fault. The shop may be running. Throws std::runtime_error when one of the
// two cannot be read.
std::vector<std::string> check_earnings(ledger::earning_book& earnings, store::database& points);

}  // namespace floodgate::commands
