// Makes every sync of a process take at least FLOODGATE_SYNC_US microseconds: a disk slower than
// the one that is there. To be loaded with LD_PRELOAD by the benchmarks; nothing in Floodgate knows
// of it.

#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <thread>

namespace {

using sync_call = int (*)(int);

std::chrono::microseconds least() {
    static const std::chrono::microseconds time = [] {
        const char* const wanted = std::getenv("FLOODGATE_SYNC_US");
        return std::chrono::microseconds(wanted ? std::strtol(wanted, nullptr, 10) : 0);
    }();
    return time;
}

int slowly(const char* name, int fd) {
    const auto until = std::chrono::steady_clock::now() + least();
    void* const found = dlsym(RTLD_NEXT, name);
    const int done = reinterpret_cast<sync_call>(found)(fd);
    std::this_thread::sleep_until(until);
    return done;
}

}  // namespace

extern "C" int fsync(int fd) { return slowly("fsync", fd); }
extern "C" int fdatasync(int fd) { return slowly("fdatasync", fd); }
