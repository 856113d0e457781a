#include "engine/secret_files.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <sys/stat.h>

#include "base/log.hpp"

namespace floodgate::engine {
namespace {

// A missing file is reported by the code that reads it.
constexpr unsigned permissions = 07777;

}  // namespace

std::vector<std::string> exposed_secrets(const settings& s) {
    std::vector<std::string> found;
    for (const std::string& path : s.secret_files) {
        struct stat about {};
        if (::stat(path.c_str(), &about) < 0 || !S_ISREG(about.st_mode)) continue;
        if ((about.st_mode & S_IRWXO) == 0) continue;
        found.push_back(fmt::format("{} can be read by every user of this machine (mode {:04o})",
                                    path, about.st_mode & permissions));
    }
    return found;
}

void judge_secret_files(const settings& s) {
    const auto exposed = exposed_secrets(s);
    if (s.cluster.strict && !exposed.empty())
        throw std::runtime_error(exposed.front() + ", and cluster.strict is set: chmod 600 it");
    for (const std::string& sentence : exposed)
        log::warning("engine.secret_exposed", "what", sentence, "do", "chmod 600");
}

}  // namespace floodgate::engine
