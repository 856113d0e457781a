// A ledger that can be read but not written is checked as a copy.
//
// SQLite needs to write beside a ledger in order to read it: a log that a crash left behind is put
// in order first, and an older schema is brought up to date.

#pragma once

#include <filesystem>
#include <string>

namespace floodgate::commands {

class ledger_copy {
public:
    // Copies the ledger and its log from `data` into a directory of its own, which is removed in
    // the end. Throws std::runtime_error with one clear line when they cannot be read or kept.
    explicit ledger_copy(const std::string& data);
    ~ledger_copy();
    ledger_copy(const ledger_copy&) = delete;
    ledger_copy& operator=(const ledger_copy&) = delete;

    std::string file() const { return place_ / "ledger.db"; }

private:
    std::filesystem::path place_;
};

}  // namespace floodgate::commands
