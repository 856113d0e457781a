#include "engine/process_figures.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>

namespace floodgate::engine {
namespace {

// Since the machine was started, in ticks; then the time of that start, in seconds since 1970.
double started_at(double ticks) {
    std::ifstream file("/proc/stat");
    double booted_s = 0;
    for (std::string word; file >> word;)
        if (word == "btime" && file >> booted_s) break;
    return booted_s + ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace

process_figures read_process() {
    process_figures out;
    std::ifstream file("/proc/self/stat");
    std::string all;
    std::getline(file, all);
    const std::size_t name_end = all.rfind(')');  // the name may have blanks
    if (name_end != std::string::npos) {
        std::istringstream words(all.substr(name_end + 1));
        std::string skipped;
        double user = 0, system = 0, start = 0, pages = 0;
        for (int i = 0; i < 11; ++i) words >> skipped;  // state to cmajflt: fields 3 to 13
        words >> user >> system;
        for (int i = 0; i < 6; ++i) words >> skipped;  // cutime to itrealvalue
        words >> start >> skipped >> pages;            // starttime, vsize, rss
        const auto tick = static_cast<double>(::sysconf(_SC_CLK_TCK));
        out.cpu_s = (user + system) / tick;
        out.started_s = started_at(start);
        out.resident_bytes = pages * static_cast<double>(::sysconf(_SC_PAGESIZE));
    }
    std::error_code error;
    for (std::filesystem::directory_iterator at("/proc/self/fd", error), end; !error && at != end;
         at.increment(error))
        ++out.open_files;
    return out;
}

}  // namespace floodgate::engine
