// `floodgate check`: checks that a data directory is whole and consistent. Changes nothing.

#pragma once

#include <string>
#include <vector>

namespace floodgate::commands {

// One sentence for each fault; empty: all is well. Prints a summary of what was read, and what
// could not be checked for certain. At least as strict as `serve`. A directory that cannot be
// written is checked as well. Throws std::runtime_error when there is nothing to check or a server
// is using the directory.
std::vector<std::string> check_data(const std::string& data);

}  // namespace floodgate::commands
