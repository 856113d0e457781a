// Looks at the stores twice a second, on threads of its own, so that /readyz never waits for a
// store that does not answer.

#pragma once

#include <atomic>
#include <chrono>
#include <mutex>

#include "base/periodic_task.hpp"
#include "engine/ports.hpp"
#include "engine/readiness.hpp"

namespace floodgate::engine {

class store_health {
public:
    explicit store_health(ports& of);

    void start();
    void stop();

    // Any thread.
    store_sight read() const;

    // One look each. The threads call these.
    void look_at_gate();
    void look_at_ledger();

private:
    using steady = std::chrono::steady_clock;
    using moment = std::atomic<steady::rep>;  // since the steady clock's beginning; 0: never

    static bool is_recent(const moment& m);

    ports& of_;
    moment gate_answered_{0}, ledger_answered_{0};
    mutable std::mutex mutex_;
    bool built_once_ = false;  // guarded by mutex_
    gate_sight gate_;          // the same
    // Two threads, so that a store that hangs does not hide the other.
    periodic_task gate_looks_, ledger_looks_;
};

}  // namespace floodgate::engine
