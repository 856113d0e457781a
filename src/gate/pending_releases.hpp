// Gives units back to the gate in Redis. While Redis does not answer, a release is kept in memory
// and tried again. So is the release of withdrawn units while their partition is closed. The thread
// of this class also refreshes the refusal cache.

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

class pending_releases {
public:
    using unit = turnstile::returned;

    pending_releases(store::redis& redis, const gate_keys& keys, refusal_cache& refusals,
                     std::function<void(sale::sale_id)> lifted);
    ~pending_releases();
    pending_releases(const pending_releases&) = delete;
    pending_releases& operator=(const pending_releases&) = delete;

    void release(const unit& u);
    void release_all(std::span<const unit> units);
    std::size_t waiting() const;

private:
    enum class outcome : std::uint8_t { done = 1, unanswered, too_early };

    store::words keys_for(const unit& u) const;
    outcome try_release(const unit& u);
    void keep(const unit& u);
    void step();
    void try_again();

    store::redis& redis_;
    const gate_keys& keys_;
    refusal_cache& refusals_;
    const std::function<void(sale::sale_id)> lifted_;
    int steps_ = 0;  // since the last round; used by the task's thread only
    mutable std::mutex mutex_;
    std::deque<unit> waiting_;  // guarded by mutex_
    periodic_task task_;
};

}  // namespace floodgate::gate
