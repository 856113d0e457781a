#include "base/thread.hpp"

#include <cstdint>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace floodgate {
namespace {

// The kernel's struct sched_attr, which glibc 2.36 does not define.
struct scheduling {
    std::uint32_t size = sizeof(scheduling);
    std::uint32_t policy = 0;  // SCHED_OTHER
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t runtime_ns = 0;  // with SCHED_OTHER since Linux 6.12: the slice
    std::uint64_t deadline_ns = 0;
    std::uint64_t period_ns = 0;
};

constexpr std::size_t name_size_max = 15;
constexpr std::uint64_t short_slice_ns = 100'000;  // the least the kernel grants

}  // namespace

void name_thread(const std::string& name) {
    // The kernel refuses a longer name instead of cutting it.
    pthread_setname_np(pthread_self(), name.substr(0, name_size_max).c_str());
}

void ask_for_short_slices() {
    scheduling now;
    if (syscall(SYS_sched_getattr, 0, &now, sizeof now, 0) != 0) return;
    now.runtime_ns = short_slice_ns;
    (void)syscall(SYS_sched_setattr, 0, &now, 0);
}

}  // namespace floodgate
