// Finds files with secrets that too many users can read.

#pragma once

#include <string>
#include <vector>

#include "engine/settings.hpp"

namespace floodgate::engine {

// "key.pem can be read by every user of this machine (mode 0644)", one line for each file.
std::vector<std::string> exposed_secrets(const settings& s);

// Where containers find the secrets that are mounted into them.
inline constexpr const char* container_secrets = "/run/secrets";

// Writes one warning for each to the log. With cluster.strict it throws std::runtime_error instead,
// except for files below `mounted`: a container sees those with the mode they have outside, other
// containers read the same file as other users, and only the outside can guard it.
void judge_secret_files(const settings& s, const std::string& mounted = container_secrets);

}  // namespace floodgate::engine
