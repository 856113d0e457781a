// A copy of a ledger, or of the points beside it, that can be read but not written, so that it can
// be checked.
//
// SQLite needs to write next to a ledger in order to read it: it first recovers a log that a crash
// left behind. Floodgate, too, first brings an older schema up to date.

#pragma once

#include <filesystem>
#include <string>

namespace floodgate::commands {

class ledger_copy {
public:
    // Copies the file of SQLite and its log from `data` into a temporary directory, which is
    // removed in the end. Throws std::runtime_error with one clear line when they cannot be read or
    // copied.
    ledger_copy(const std::string& data, const std::string& file);
    ~ledger_copy();
    ledger_copy(const ledger_copy&) = delete;
    ledger_copy& operator=(const ledger_copy&) = delete;

    std::string file() const { return place_ / file_; }

private:
    const std::string file_;
    std::filesystem::path place_;
};

}  // namespace floodgate::commands
