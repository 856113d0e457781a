// Whether the stores of a cluster answer: asked twice a second from a thread of its own, so that
// /readyz never waits for a store that does not.

#pragma once

#include <atomic>
#include <chrono>
#include <string>

#include "base/periodic_task.hpp"
#include "gate/redis_turnstile.hpp"
#include "ledger/ledger.hpp"

namespace floodgate::engine {

class store_health {
public:
    struct world {
        store::redis& redis;
        ledger::ledger& book;
        gate::redis_turnstile& gate;
        std::string name;
        std::uint32_t partitions = 1;
    };
    explicit store_health(world w);

    void start();
    void stop();

    // Empty: ready. Any thread. At first a node is ready when every partition has been seen open;
    // later, when its stores answer.
    std::string why_not_ready() const;

private:
    using steady = std::chrono::steady_clock;
    using moment = std::atomic<steady::rep>;  // since the steady clock's beginning; 0: never

    static bool is_recent(const moment& m);
    void look_at_redis();
    void look_at_ledger();
    bool all_open();

    const world world_;
    moment redis_{0}, ledger_{0};
    std::atomic<bool> opened_{false};
    // Apart, so that one that hangs does not hide the other.
    periodic_task redis_looks_, ledger_looks_;
};

}  // namespace floodgate::engine
