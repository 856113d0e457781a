// One partition's line of promises, for the one clerk that enters it in the ledger.
//
// streams: queue/stream_queue.hpp, the partition's Redis stream itself; rabbit:
// queue/rabbit_queue.hpp, a RabbitMQ quorum queue fed from the stream.
//
// Positions are sale::line_place as one number: contiguous within an epoch.

#pragma once

#include <functional>
#include <vector>

#include "base/result.hpp"
#include "sale/partition.hpp"
#include "sale/promise_source.hpp"

namespace floodgate::queue {

// After start() it is a sale::promise_source. Its read() gives corrupt when the line does not
// continue (the store went back to an older state, or an entry is missing); the partition must then
// be rebuilt. Promises up to entered() are soon acknowledged and removed from the line. durable()
// is the last place that is known to be in the line.
class promise_queue : public sale::promise_source {
public:
    // The promises that are still in the line, whatever their place, in order, `max` or a few more
    // at a time; also those that a dead consumer left behind. For the node that takes the partition
    // over, before start(): it enters them by order number and calls forget(). Empty: the line is
    // empty.
    virtual result<std::vector<sale::promise>> left_behind(std::size_t max) = 0;
    // Removes what left_behind() gave last, which is in the ledger now.
    virtual result<void> forget() = 0;

    // Follows the line from the first promise after `entered`. `news` is called, on the queue's own
    // thread, when there may be more to read.
    virtual void start(sale::sequence entered, std::function<void()> news) = 0;
    virtual void stop() = 0;  // idempotent; promises read and not entered stay in the line
};

}  // namespace floodgate::queue
