// Units on their way back into Redis. What it does not take now, because it does not answer, is
// kept in memory and tried again until it does. Its thread looks after the reflections as well.

#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <span>

#include "base/periodic_task.hpp"
#include "gate/gate_keys.hpp"
#include "gate/refusal_cache.hpp"
#include "gate/turnstile.hpp"
#include "store/redis/redis.hpp"

namespace floodgate::gate {

class returns {
public:
    using unit = turnstile::returned;

    returns(store::redis& redis, const gate_keys& keys, reflections& refusals,
            std::function<void(sale::sale_id)> lifted);
    ~returns();
    returns(const returns&) = delete;
    returns& operator=(const returns&) = delete;

    void release(const unit& u);
    void release_all(std::span<const unit> units);
    std::size_t waiting() const;

private:
    bool try_release(const unit& u);
    void keep(const unit& u);
    void step();
    void try_again();

    store::redis& redis_;
    const gate_keys& keys_;
    reflections& refusals_;
    const std::function<void(sale::sale_id)> lifted_;
    int steps_ = 0;  // since the last round; the task's own
    mutable std::mutex mutex_;
    std::deque<unit> waiting_;  // guarded by mutex_
    periodic_task task_;
};

}  // namespace floodgate::gate
