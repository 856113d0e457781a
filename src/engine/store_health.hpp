// Looks at the stores twice a second, on threads of its own, so that /readyz never waits for a
// store that does not answer.

#pragma once

#include <atomic>
#include <mutex>

#include "base/clock.hpp"
#include "base/periodic_task.hpp"
#include "engine/ports.hpp"
#include "engine/readiness.hpp"

namespace floodgate::engine {

class store_health {
public:
    // `far_points` are accounts in another process, to be watched too; null: there are none.
    store_health(ports& of, points::accounts* far_points,
                 const monotonic_clock& clock = machine_time);

    void start();
    void stop();

    // Any thread.
    store_sight read() const;

    // One look each. The threads call these.
    void look_at_gate();
    void look_at_ledger();
    void look_at_points();

private:
    bool is_recent(const std::atomic<moment>& answered) const;

    ports& of_;
    points::accounts* const far_points_;
    const monotonic_clock& clock_;
    std::atomic<moment> gate_answered_{moment::min()}, ledger_answered_{moment::min()},
        points_answered_{moment::min()};  // min: never
    mutable std::mutex mutex_;
    bool built_once_ = false;  // guarded by mutex_
    gate_sight gate_;          // the same
    // A thread for each, so that a store that hangs does not hide the others.
    periodic_task gate_looks_, ledger_looks_, points_looks_;
};

}  // namespace floodgate::engine
