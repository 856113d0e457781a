// `floodgate check`: checks that a data directory is whole and consistent. Changes nothing.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/settings.hpp"

namespace floodgate::commands {

enum class points_place : std::uint8_t { here = 1, elsewhere };

// One sentence for each fault; empty: all is well. Prints a summary of what was read, and what
// could not be checked for certain. At least as strict as `serve`. A directory that cannot be
// written is checked as well. Throws std::runtime_error when there is nothing to check or a server
// is using the directory. Points that are elsewhere are left out, which is printed.
std::vector<std::string> check_data(const std::string& data,
                                    points_place points = points_place::here);

// The same for what `floodgate points` keeps: in its directory, which it must not be using, or in
// the database of a cluster's settings.
std::vector<std::string> check_points_service(const engine::settings& s);

}  // namespace floodgate::commands
