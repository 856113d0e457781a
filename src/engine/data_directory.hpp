// The data directory of the embedded mode. A directory of another program is refused.

#pragma once

#include <string>

namespace floodgate::engine {

// Makes the directory where there is none, and sees to it that only its owner can enter. Throws
// std::runtime_error with one clear line when it cannot, and when the directory belongs to
// something else or has lost its ledger: it has files, but no ledger.db. That one is left as it is.
void prepare_data_directory(const std::string& path);

}  // namespace floodgate::engine
