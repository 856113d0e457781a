// The part of `floodgate check` that looks at the accounts of points.

#pragma once

#include <string>
#include <vector>

namespace floodgate::store {
class database;
}

namespace floodgate::commands {

// One sentence for each fault: balances and tries against their log. Throws std::runtime_error when
// the database cannot be read.
std::vector<std::string> check_points(store::database& db);

// Prints that they are not checked.
void say_points_live_elsewhere();

}  // namespace floodgate::commands
