#include "engine/secret_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <sys/stat.h>

#include "base/log.hpp"

namespace floodgate::engine {
namespace {

namespace fs = std::filesystem;

constexpr unsigned permissions = 07777;

// What is wrong with the file, or nothing. What reads a file says when it is not there.
std::string exposure_of(const std::string& path) {
    struct stat about {};
    if (::stat(path.c_str(), &about) < 0 || !S_ISREG(about.st_mode)) return "";
    if ((about.st_mode & S_IRWXO) == 0) return "";
    return fmt::format("{} can be read by every user of this machine (mode {:04o})", path,
                       about.st_mode & permissions);
}

// Both as they really are: without "..", and behind symbolic links.
bool lies_below(const std::string& path, const std::string& directory) {
    std::error_code error;
    const fs::path inner = fs::weakly_canonical(path, error);
    const fs::path outer = fs::weakly_canonical(directory, error);
    return std::ranges::mismatch(outer, inner).in1 == outer.end();
}

}  // namespace

std::vector<std::string> exposed_secrets(const settings& s) {
    std::vector<std::string> found;
    for (const std::string& path : s.secret_files)
        if (std::string sentence = exposure_of(path); !sentence.empty())
            found.push_back(std::move(sentence));
    return found;
}

void judge_secret_files(const settings& s, const std::string& mounted) {
    for (const std::string& path : s.secret_files) {
        const std::string sentence = exposure_of(path);
        if (sentence.empty()) continue;
        const bool is_mounted = lies_below(path, mounted);
        if (s.cluster.strict && !is_mounted)
            throw std::runtime_error(sentence + ", and cluster.strict is set: chmod 600 it");
        log::warning("engine.secret_exposed", "what", sentence, "do",
                     is_mounted ? "chmod 700 the directory it is mounted from" : "chmod 600");
    }
}

}  // namespace floodgate::engine
