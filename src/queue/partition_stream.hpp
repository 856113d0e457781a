// A partition's Redis stream, read through a consumer group: what the gate's script appends.
//
// The node that holds the partition's lease owns the pending entries of the group, also those that
// were given to another node: it claims them first, and again after any call that failed half-way.
// So nothing is lost between Redis and here, but an entry may come twice. A missing group is made
// again, from the stream's beginning.
//
// Used by one thread, except interrupt() and resume(). Errors are those of store::redis.

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "sale/partition.hpp"
#include "store/redis/dedicated_connection.hpp"

namespace floodgate::queue {

struct stream_entry {
    sale::line_place last;
    std::string body;
};

class partition_stream {
public:
    struct place {
        std::string name;  // the cluster's, before every key
        sale::partition partition;
        std::string group;     // who reads
        std::string consumer;  // the node's owner id
    };

    partition_stream(store::redis& redis, place where);

    // The next entries, in order, at most `max`; waits for the first. Empty: none came within
    // `wait`.
    result<std::vector<stream_entry>> next(std::size_t max, milliseconds wait);
    // Makes next() begin again with the first entry that is not removed.
    void start_over();

    // Acknowledges these entries and removes them from the stream.
    result<void> remove(std::span<const sale::line_place> entries);
    // Tells the gate how far the ledger is, for its backlog limit, if the gate is still in this
    // epoch.
    result<void> note_entered(sale::line_place entered);
    // The place of the last promise that the gate has made; empty when the gate has no state.
    result<std::optional<sale::line_place>> promised();

    // See promise_queue. An entry that cannot be decoded is copied to the stream ":dead", logged,
    // and forgotten with the others.
    result<std::vector<sale::promise>> left_behind(std::size_t max);
    result<void> forget();

    void interrupt();  // ends a next() that waits, until resume()
    void resume();

private:
    result<void> join();
    result<std::vector<stream_entry>> claim(std::size_t max);
    result<std::vector<stream_entry>> fetch(std::size_t max, milliseconds wait);
    result<void> put_aside(const stream_entry& e);

    store::redis& redis_;
    const place where_;
    const std::string line_, gate_, dead_;  // keys
    store::dedicated_connection own_;
    bool joined_ = false;
    std::string claim_from_;  // empty: all that was pending is here
    std::vector<sale::line_place> left_;
};

}  // namespace floodgate::queue
