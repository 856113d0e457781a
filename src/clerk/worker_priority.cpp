#include "clerk/worker_priority.hpp"

#include <cerrno>
#include <sched.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

#include "base/log.hpp"

namespace floodgate::clerk {
namespace {

constexpr int fixed_nice = 10;

bool set_policy(pid_t thread, int policy) {
    const sched_param none{};
    return ::sched_setscheduler(thread, policy, &none) == 0;
}

bool try_the_way_back() {
    bool back = false;
    std::thread([&back] { back = set_policy(0, SCHED_IDLE) && set_policy(0, SCHED_OTHER); }).join();
    return back;
}

}  // namespace

worker_priority::worker_priority() : can_return_(try_the_way_back()) {}

void worker_priority::adopt() {
    worker_ = ::gettid();
    if (can_return_) return;
    const bool niced =
        ::setpriority(PRIO_PROCESS, static_cast<id_t>(worker_.load()), fixed_nice) == 0;
    log::info("clerk.niced", "nice", niced ? fixed_nice : 0, "reason",
              "needs CAP_SYS_NICE or a nice limit of 20 to lower its priority and return");
}

// This function sets lowered_ before it reads allowed_; allow() sets allowed_ before it reads
// lowered_. So at least one of the two sees what the other has done.
void worker_priority::lower() {
    if (!can_return_) return;
    lowered_ = true;
    if (allowed_) set_policy(worker_, SCHED_IDLE);
    if (!allowed_) raise();
}

void worker_priority::restore() {
    if (!lowered_) return;
    raise();
    lowered_ = false;
}

void worker_priority::allow(bool low) {
    allowed_ = low;
    if (!low && lowered_) raise();
}

void worker_priority::raise() {
    // ESRCH: the thread has ended meanwhile and need not be raised.
    if (!set_policy(worker_, SCHED_OTHER) && errno != ESRCH) log::error("clerk.not_raised");
}

}  // namespace floodgate::clerk
