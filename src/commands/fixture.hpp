// `floodgate fixture`: an empty data directory filled with logged-in users and open sales.

#pragma once

#include <cstdint>
#include <string>

#include "engine/settings.hpp"

namespace floodgate::commands {

struct fixture_options {
    std::string data, config;  // one of them
    std::int64_t users = 0;
    std::int64_t sales = 1;
    std::int64_t stock = 0;
    std::string tokens_file;
    std::uint32_t limit = 1;
    std::uint32_t pay_within_s = 900;
};

// Writes one token on each line of the file, and one sale id on each line of standard output.
// Throws std::runtime_error, also when the directory holds a ledger already, or the cluster's
// ledger is not empty.
void make_fixture(const engine::settings& s, const fixture_options& options);

}  // namespace floodgate::commands
