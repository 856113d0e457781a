// `floodgate config check`: everything that `serve` would refuse in a configuration, at once.

#pragma once

#include <string>
#include <vector>

namespace floodgate::commands {

struct config_report {
    std::vector<std::string> faults;  // `serve` would refuse: file, line and key where there is one
    std::vector<std::string> warnings;  // it would start, but a person should know
};

// Reads keys and certificates as the server would, but opens no port, no data directory and no
// store. Throws std::runtime_error when the file itself cannot be read.
config_report check_config(const std::string& path);

}  // namespace floodgate::commands
