// `floodgate import`: puts the products or sales of a file into the ledger, by external id.
//
// Works on a stopped server and beside a running one. A running server sees the rows at once in its
// admin lists, because those read the ledger; its buyers' pages follow with the next change of the
// catalogue (a cluster reads the catalogue anew from time to time). Sales become drafts, which no
// gate holds yet; a sale that is published or paused is refused here, because its gate must follow:
// PUT /api/v1/service/sales changes those.

#pragma once

#include <cstdint>
#include <string>

#include "commands/import_rows.hpp"
#include "engine/settings.hpp"

namespace floodgate::commands {

struct import_options {
    std::string what;  // "products", "sales", "users"
    std::string file;
    std::string data, config;
    bool dry_run = false;
};

struct import_summary {
    std::int64_t lines = 0, created = 0, updated = 0, unchanged = 0, refused = 0;
};

// Prints each refused line to stderr (FILE:LINE: why), progress to stderr, and a summary. Throws
// std::invalid_argument for wrong use and std::runtime_error when the import cannot go on; what was
// written until then stays, and the same file can be imported again.
import_summary import_file(const engine::settings& s, const import_options& o);

}  // namespace floodgate::commands
