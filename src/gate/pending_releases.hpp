// Units on their way back into Redis. What it does not take now, because it does not answer, is
// kept in memory and tried again until it does. Its thread looks after the reflections as well.

#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <span>
#include <thread>

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
    void work();
    void try_again();

    store::redis& redis_;
    const gate_keys& keys_;
    reflections& refusals_;
    const std::function<void(sale::sale_id)> lifted_;
    mutable std::mutex mutex_;
    std::condition_variable stopped_;
    std::deque<unit> waiting_;
    bool stop_ = false;
    std::thread thread_;
};

}  // namespace floodgate::gate
