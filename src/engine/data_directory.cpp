#include "engine/data_directory.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <stdexcept>

namespace floodgate::engine {
namespace {

namespace fs = std::filesystem;

// ledger.db is the first file made in a new directory, journal/ the second.
constexpr std::array<const char*, 2> ours{"ledger.db", "journal"};
constexpr const char* of_the_disk = "lost+found";  // in the root directory of a volume

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
    throw std::runtime_error(path + ": " + why);
}

bool is_empty(const std::string& path) {
    std::error_code error;
    const fs::directory_iterator files(path, error);
    if (error) refuse(path, error.message());
    return std::all_of(begin(files), end(files), [](const fs::directory_entry& file) {
        return file.path().filename() == of_the_disk;
    });
}

bool is_ours(const std::string& path) {
    return std::any_of(ours.begin(), ours.end(), [&](const char* name) {
        std::error_code error;
        return fs::exists(fs::path(path) / name, error);
    });
}

}  // namespace

void prepare_data_directory(const std::string& path) {
    std::error_code error;
    fs::create_directories(path, error);
    if (error) refuse(path, error.message());
    if (!is_ours(path) && !is_empty(path))
        refuse(path, "has files, but no ledger: not a data directory; give Floodgate an empty one");
    // If another user owns the directory and lets us use it, its permissions stay as they are.
    fs::permissions(path, fs::perms::owner_all, error);
}

}  // namespace floodgate::engine
