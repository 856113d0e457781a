// Lets a thread run only when nobody else wants the core, and gets it back from there.
//
// A thread that is starved cannot raise itself, so another one does: the worker lowers itself
// around what may take long, and an overseer forbids it (which raises a worker that is low right
// now).
//
// Linux lets everyone go down to SCHED_IDLE, but back up only with CAP_SYS_NICE or RLIMIT_NICE >=
// 20 (systemd: LimitNICE=20, docker: --ulimit nice=20). Without it a lowered clerk would be lost in
// a long rush, so then it is never lowered: it gets a fixed nice value instead, a tenth of a
// contested core.

#pragma once

#include <atomic>
#include <sys/types.h>

namespace floodgate::clerk {

class worker_priority {
public:
    // Finds out, with a short-lived thread, whether the way back is open.
    worker_priority();

    bool can_return() const { return can_return_; }

    // The worker calls these: first adopt, then lower before and restore after the long work, never
    // while it holds a lock that an event loop may want.
    void adopt();
    void lower();
    void restore();

    // Any thread. Forbidding takes effect at once, allowing at the next lower().
    void allow(bool low);

private:
    void raise();

    const bool can_return_;
    std::atomic<pid_t> worker_{0};
    std::atomic<bool> allowed_{true};
    std::atomic<bool> lowered_{false};
};

}  // namespace floodgate::clerk
