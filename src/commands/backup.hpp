// `floodgate backup` and `floodgate restore`: a data directory of the embedded mode, copied while
// its server runs.
//
// A backup is ledger and points as they were at one moment, and the journal at that moment or a
// little later: everything that was acknowledged before the backup began is in it. It is checked as
// `floodgate check` does it, and gets its list of files only when that found nothing.

#pragma once

#include <string>
#include <vector>

namespace floodgate::commands {

// The list of files with their sizes and checksums. A directory without it is no finished backup.
inline constexpr const char* backup_list_name = "backup.list";

// Makes the directory `to`, which must not exist or be empty, with mode 0700. Gives one sentence
// for each fault that was found in the copy; empty: it is good. Throws std::runtime_error with one
// clear line when it cannot be made.
std::vector<std::string> make_backup(const std::string& data, const std::string& to);

// Makes the data directory `data`, which must not exist or be empty. Gives and throws likewise. An
// interrupted restore leaves a directory that `serve` refuses.
std::vector<std::string> restore_backup(const std::string& from, const std::string& data);

}  // namespace floodgate::commands
