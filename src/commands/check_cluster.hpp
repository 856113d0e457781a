// `floodgate check --config F`: the ledger of a cluster by itself, and the gate against it. Changes
// nothing; the nodes may be running.

#pragma once

#include "engine/settings.hpp"

namespace floodgate::commands {

// One sentence for each fault; empty: all is well. Prints a summary of what was read.
// Throws std::runtime_error when a store cannot be reached.
std::vector<std::string> check_cluster(const engine::settings& s);

}  // namespace floodgate::commands
