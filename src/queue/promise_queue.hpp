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

// After start() it is a sale::promise_source. Its read() gives corrupt when the line does not go on
// where it ended (a store that went back in time, a missing entry): rebuild the partition. What
// entered() names is acknowledged and removed from the line, soon. durable() is the last place
// known to be in the line.
class promise_queue : public sale::promise_source {
public:
    // Everything that is still in the line, whatever its place, in order, `max` or a few more at a
    // time: what a dead consumer left behind, too. For whoever takes the partition over, before
    // start(): enters it by order number and calls forget(). Empty: the line is empty.
    virtual result<std::vector<sale::promise>> left_behind(std::size_t max) = 0;
    // What left_behind() gave last is in the ledger.
    virtual result<void> forget() = 0;

    // From now on: follows the line from the first promise after `entered`. `news` is called, from
    // the queue's own thread, when there may be more to read.
    virtual void start(sale::sequence entered, std::function<void()> news) = 0;
    virtual void stop() = 0;  // idempotent; what was read and not entered stays in the line
};

}  // namespace floodgate::queue
