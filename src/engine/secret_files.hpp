// Finds files with secrets that too many users can read.

#pragma once

#include <string>
#include <vector>

#include "engine/settings.hpp"

namespace floodgate::engine {

// "key.pem can be read by every user of this machine (mode 0644)", one line for each file.
std::vector<std::string> exposed_secrets(const settings& s);

// Logs a warning for each. With cluster.strict it throws std::runtime_error instead.
void judge_secret_files(const settings& s);

}  // namespace floodgate::engine
