#include "engine/data_directory.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace floodgate::engine {
namespace {

namespace fs = std::filesystem;

// ledger.db is the first file made in a new directory, journal/ the second: a start that was
// interrupted leaves an empty directory, or one with a ledger. Other programs have a journal/, too.
constexpr const char* ledger_name = "ledger.db";
constexpr const char* journal_name = "journal";
constexpr const char* of_the_disk = "lost+found";  // in the root of a volume of its own
constexpr const char* of_the_demo = "sandbox";     // its keys are made before the ledger
constexpr const char* demo_mark = "demo";          // an empty file: made by --demo

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
    throw std::runtime_error(path + ": " + why);
}

bool is_empty(const std::string& path) {
    std::error_code error;
    const fs::directory_iterator files(path, error);
    if (error) refuse(path, error.message());
    return std::all_of(begin(files), end(files), [](const fs::directory_entry& file) {
        const fs::path name = file.path().filename();
        return name == of_the_disk || name == of_the_demo || name == demo_mark;
    });
}

bool holds(const std::string& path, const char* name) {
    std::error_code error;
    return fs::exists(fs::path(path) / name, error);
}

}  // namespace

void prepare_data_directory(const std::string& path) {
    std::error_code error;
    fs::create_directories(path, error);
    if (error) refuse(path, error.message());
    if (!holds(path, ledger_name) && !is_empty(path))
        // Without its ledger, every promise in the journal would be one of an unknown sale.
        refuse(path, holds(path, journal_name)
                         ? "there is a journal, but no ledger: put the ledger back if this was a "
                           "data directory; otherwise give Floodgate an empty one"
                         : "has files, but no ledger: not a data directory; give Floodgate an "
                           "empty one");
    // A directory that somebody else owns and lets us use stays as that owner wants it.
    fs::permissions(path, fs::perms::owner_all, error);
}

void claim_for_demo(const std::string& path, const std::string& listen) {
    const bool is_near = listen.starts_with("127.") || listen.starts_with("localhost:") ||
                         listen.starts_with("[::1]:");
    if (!is_near)
        throw std::runtime_error(
            "--demo listens only on this machine (127.0.0.1, localhost, [::1]), not on " + listen +
            ": everybody knows its passwords");
    if (holds(path, demo_mark)) return;
    if (holds(path, ledger_name))
        refuse(path, "this ledger was not made by --demo: give the demo a directory of its own");
    std::error_code error;
    fs::create_directories(path, error);
    if (error) refuse(path, error.message());
    if (!is_empty(path)) return;  // prepare_data_directory() says what is wrong with it
    std::ofstream mark(fs::path(path) / demo_mark);
    if (!mark) refuse(path, "cannot be written");
}

}  // namespace floodgate::engine
