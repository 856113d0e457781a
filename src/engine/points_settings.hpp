// The accounts of points as the configuration describes them: [points].

#pragma once

#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/config_file.hpp"

namespace floodgate::engine {

struct points_settings {
    bool enabled = true;      // accounts of points, and the method `points`
    std::string url;          // where `floodgate points` is; empty: they are in this process
    std::string secret_file;  // the secret that both sides share
    milliseconds answer_within{2000};

    bool live_elsewhere() const { return enabled && !url.empty(); }
};

// Adds the file of the secret to `secret_files`. Throws config_error, or std::invalid_argument with
// one clear line: the address makes no sense, is not safe for a secret, or there is no secret.
void read_points(config_file& file, points_settings& s, std::vector<std::string>& secret_files);

// The first line of the file. Throws std::runtime_error with one clear line, which does not repeat
// it: it cannot be read, or is not 32 to 256 letters, digits and signs without blanks.
std::string read_points_secret(const std::string& path);

}  // namespace floodgate::engine
