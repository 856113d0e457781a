// Lowers the priority of a thread so that it runs only when no other thread wants the core, and
// raises it again.
//
// A starved thread cannot raise itself, so another one must. The worker lowers itself around work
// that may take long; an overseer can forbid this, which also raises a worker that is low at that
// moment.
//
// On Linux every thread may go down to SCHED_IDLE, but back up only with CAP_SYS_NICE or
// RLIMIT_NICE >= 20 (systemd: LimitNICE=20, docker: --ulimit nice=20). Without these a lowered
// clerk might not run for the whole of a long rush. So it is then never lowered; it gets a fixed
// nice value instead, which gives it about a tenth of a contested core.

#pragma once

#include <atomic>
#include <sys/types.h>

namespace floodgate::clerk {

class worker_priority {
public:
    // Finds out, with a short-lived thread, whether a lowered thread can be raised again.
    worker_priority();

    bool can_return() const { return can_return_; }

    // The worker calls these three: adopt first, then lower before and restore after the long work.
    // It must not be low while it holds a lock that an event loop may want.
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
