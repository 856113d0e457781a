// The partition's Redis stream as the way to the ledger.
//
// A thread of its own waits at the stream, fills a bounded buffer, and removes entries from the
// stream that the ledger has. While the buffer is full it only reads the gate's count, so that
// durable() still tells how long the line is.

#pragma once

#include <string>

#include "base/failure_log.hpp"
#include "base/periodic_task.hpp"
#include "queue/partition_stream.hpp"
#include "queue/promise_queue.hpp"
#include "queue/received_line.hpp"

namespace floodgate::queue {

struct stream_queue_options {
    std::string name = "fg";  // the cluster's, before every key
    sale::partition partition;
    std::string consumer;             // the node's owner id: never the same for two nodes
    std::size_t buffer_max = 65'536;  // promises, exceeded by at most one reading
    std::size_t entries_at_once = 64;
    milliseconds wait{100};          // at the stream, when there is nothing to do
    milliseconds watch_every{50};    // how often the gate's count is read with a full buffer
    milliseconds check_every{1000};  // how often otherwise
    milliseconds retry_after{250};
};

class stream_queue final : public promise_queue {
public:
    stream_queue(store::redis& redis, stream_queue_options o);
    ~stream_queue() override;

    result<std::vector<sale::promise>> left_behind(std::size_t max) override;
    result<void> forget() override;
    void start(sale::sequence entered, std::function<void()> news) override;
    void stop() override;
    result<void> read(sale::sequence after, std::size_t max,
                      std::vector<sale::promise>& out) override;
    void entered(sale::sequence position) override;
    sale::sequence durable() const override;

private:
    next_step step();
    result<void> work();
    bool is_full() const;
    result<void> fetch();
    result<void> watch();
    result<void> remove_entered();
    bool add(const stream_entry& e);

    const stream_queue_options options_;
    partition_stream stream_;
    received_line line_;
    std::function<void()> news_;
    bool missing_ = false;  // there was a gap; another reader may have the missing entries
    bool fresh_ = false;    // there is something to read
    std::vector<sale::line_place> needless_;  // entries that the ledger had at the beginning
    std::uint64_t noted_ = 0;                 // what the gate was told last
    moment watched_{};
    failure_log failures_;
    periodic_task task_;
};

}  // namespace floodgate::queue
