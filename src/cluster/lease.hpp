// Who works on what: at most one node holds a lease at a time, and another takes over within
// seconds when it stops renewing it.
//
// A lease is a hint, not a proof: a node that was stopped for longer than its lease lasts may
// believe in it for one more moment. The proof is the fencing number: the ledger gives out a larger
// one to every new holder and refuses what is written under an older one.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace floodgate::cluster {

// What a node does with a lease. The calls come from threads of the leases' own, one at a time for
// each name, and may block without harm to the other duties. `lost` is called before another node
// can have it, if this node runs at all; a lease that is given up on purpose is let go of only when
// `lost` has returned.
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

    // Before start(). Duties of one `group` are shared out evenly among the nodes alive; every node
    // seeks all of them. A duty without a group goes to the first node that asks.
    virtual void seek(duty d, const std::string& group) = 0;

    virtual void start() = 0;
    // Gives everything up, calling `lost`, so that others need not wait. Idempotent.
    virtual void stop() = 0;

    // Any thread.
    // Whether this node holds it now: false from the moment on at which another could have it.
    virtual bool holds(const std::string& name) const = 0;
    virtual std::vector<std::string> nodes_alive() const = 0;  // their owner ids, this one's too
};

}  // namespace floodgate::cluster
