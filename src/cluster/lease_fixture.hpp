// For tests: nodes that seek duties, and the calls that they got.

#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "base/eventually.hpp"
#include "cluster/redis_leases.hpp"
#include "store/redis/redis_fixture.hpp"

namespace floodgate::cluster {

// The ledger's fencing numbers: one more for each new holder.
class numbers {
public:
    std::uint64_t next(const std::string& duty) {
        const std::lock_guard lock(mutex_);
        return ++last_[duty];
    }

private:
    std::mutex mutex_;
    std::map<std::string, std::uint64_t> last_;
};

// What one node does with its leases.
class diary {
public:
    duty make(const std::string& name, numbers& from) {
        return {name,
                [this, name, &from]() -> result<std::uint64_t> {
                    if (refuse) {
                        ++refusals;
                        return make_error_code(errc::store_unavailable);
                    }
                    return from.next(name);
                },
                [this, name](std::uint64_t number) {
                    const std::lock_guard lock(mutex_);
                    EXPECT_TRUE(at_work_.insert(name).second) << name << " gained twice";
                    last_[name] = number;
                    ++gains_;
                },
                [this, name] {
                    const std::lock_guard lock(mutex_);
                    EXPECT_EQ(at_work_.erase(name), 1U) << name << " lost, and not held";
                    ++losses_;
                }};
    }
    bool works_on(const std::string& name) const {
        const std::lock_guard lock(mutex_);
        return at_work_.contains(name);
    }
    std::size_t count() const {
        const std::lock_guard lock(mutex_);
        return at_work_.size();
    }
    std::uint64_t number_of(const std::string& name) const {
        const std::lock_guard lock(mutex_);
        const auto found = last_.find(name);
        return found == last_.end() ? 0 : found->second;
    }
    int gains() const {
        const std::lock_guard lock(mutex_);
        return gains_;
    }
    int losses() const {
        const std::lock_guard lock(mutex_);
        return losses_;
    }
    std::atomic<bool> refuse{false};
    std::atomic<int> refusals{0};

private:
    mutable std::mutex mutex_;
    std::set<std::string> at_work_;
    std::map<std::string, std::uint64_t> last_;
    int gains_ = 0, losses_ = 0;
};

inline redis_leases_options quick(const std::string& name, std::uint32_t node = 1) {
    redis_leases_options o;
    o.name = name;
    o.node = node;
    o.lease = milliseconds(10'000);
    o.renew_every = milliseconds(300);
    o.seek_every = milliseconds(50);
    return o;
}

// For tests that wait for the end of a lease. On a busy machine it may end by chance as well.
inline redis_leases_options short_lived(const std::string& name, std::uint32_t node = 1) {
    redis_leases_options o = quick(name, node);
    o.lease = milliseconds(1500);
    return o;
}

// With leases that do not end during a test, though they are renewed all the time.
inline redis_leases_options lasting(const std::string& name, std::uint32_t node = 1) {
    redis_leases_options o = quick(name, node);
    o.lease = milliseconds(60'000);
    o.renew_every = milliseconds(20);
    return o;
}

// One node. The diary outlives the leases that write in it.
struct lease_node {
    lease_node(store::redis& redis, const redis_leases_options& options,
               const monotonic_clock& clock = machine_time)
        : leases(redis, options, clock) {}
    diary log;
    redis_leases leases;
};

}  // namespace floodgate::cluster
