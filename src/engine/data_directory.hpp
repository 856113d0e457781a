// The data directory of the embedded mode. A directory of another program is refused.

#pragma once

#include <string>

namespace floodgate::engine {

// Makes the directory where there is none, and sees to it that only its owner can enter. Throws
// std::runtime_error with one clear line when it cannot, and when the directory belongs to
// something else or has lost its ledger: it has files, but no ledger.db. That one is left as it is.
void prepare_data_directory(const std::string& path);

// For `serve --demo`, before anything else is done: the demo's passwords are known to all. Throws
// std::runtime_error if the directory has a ledger that no demo has made, or if `listen` is an
// address that other machines reach. Otherwise marks the directory as that of a demo.
void claim_for_demo(const std::string& path, const std::string& listen);

}  // namespace floodgate::engine
