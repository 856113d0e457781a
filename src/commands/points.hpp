// `floodgate points`: keeps the accounts of points in a process of its own, for shops whose
// points.url names it.

#pragma once

#include <string>

#include "engine/settings.hpp"

namespace floodgate::commands {

struct points_options {
    std::string config;  // empty: SQLite, and a secret of its own, made on the first start
    std::string listen = "127.0.0.1:8085";
    std::string data;
};

// Serves until SIGINT or SIGTERM, which must be blocked in every thread. Prints where it listens
// and where its secret is. Throws with one clear line: the directory is in use, the secret is
// missing or too short, the database cannot be opened, the port is taken.
void run_points(const engine::settings& s, const std::string& listen);

}  // namespace floodgate::commands
