#include "commands/ledger_copy.hpp"

#include <cstdlib>
#include <stdexcept>

namespace floodgate::commands {

namespace fs = std::filesystem;

ledger_copy::ledger_copy(const std::string& data, const std::string& file) : file_(file) {
    std::string pattern = fs::temp_directory_path() / "floodgate-check-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr)
        throw std::runtime_error(pattern + ": cannot be made for a copy of the ledger");
    place_ = pattern;
    for (const std::string& name : {file, file + "-wal"}) {
        const fs::path from = fs::path(data) / name;
        std::error_code error;
        if (!fs::exists(from, error)) continue;
        fs::copy_file(from, place_ / name, error);
        if (!error) fs::permissions(place_ / name, fs::perms(0600), error);
        if (!error) continue;
        fs::remove_all(place_);
        throw std::runtime_error(from.string() + ": cannot be copied to " + place_.string() + ": " +
                                 error.message());
    }
}

ledger_copy::~ledger_copy() {
    std::error_code ignored;
    fs::remove_all(place_, ignored);
}

}  // namespace floodgate::commands
