// Leases decide which node does which task. At most one node holds a lease at a time; when it stops
// renewing the lease, another node takes over within seconds.
//
// A lease is a hint, not a proof: a node that was stopped for longer than its lease lasts may
// believe for one more moment that it still holds it. The proof is the fencing number: the ledger
// gives a larger one to every new holder and refuses writes under an older one.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace floodgate::cluster {

// What a node does with a lease. The functions are called on threads of the leases, one call at a
// time for each name, and may block without delaying other duties. `lost` is called before another
// node can get the lease, if this node runs at all. A lease that is given up on purpose is released
// only after `lost` has returned.
struct duty {
    std::string name;  // "timed_jobs", "line 3"
    // The next fencing number: asked of the ledger once the lock is held. An error gives the lock
    // back, and the next attempt waits a while, so that another node may try.
    std::function<result<std::uint64_t>()> raise;
    std::function<void(std::uint64_t number)> gained;
    std::function<void()> lost;
};

class leases {
public:
    virtual ~leases() = default;

    // Before start(). Duties of one `group` are divided evenly among the living nodes; every node
    // seeks all of them. A duty without a group goes to the first node that asks.
    virtual void seek(duty d, const std::string& group) = 0;

    virtual void start() = 0;
    // Calls `lost` and gives up every lease, so that other nodes need not wait. Idempotent.
    virtual void stop() = 0;

    // Any thread.
    // Whether this node holds the lease now: false as soon as another node could have it.
    virtual bool holds(const std::string& name) const = 0;
    virtual std::vector<std::string> nodes_alive() const = 0;  // their owner ids, this one's too
};

}  // namespace floodgate::cluster
