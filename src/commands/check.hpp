// `floodgate check`: checks that a data directory is whole and consistent. Changes nothing.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace floodgate::commands {

enum class points_place : std::uint8_t { here = 1, elsewhere };

// One sentence for each fault; empty: all is well. Prints a summary of what was read, and what
// could not be checked for certain. At least as strict as `serve`. A directory that cannot be
// written is checked as well. Throws std::runtime_error when there is nothing to check or a server
// is using the directory. A directory of `floodgate points`, with points and no ledger, is checked
// as well. Points that are elsewhere are left out, which is printed.
std::vector<std::string> check_data(const std::string& data,
                                    points_place points = points_place::here);

}  // namespace floodgate::commands
