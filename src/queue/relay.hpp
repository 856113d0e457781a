// From a partition's stream to RabbitMQ: each entry published, confirmed, and then removed from
// the stream. Used by one thread.

#pragma once

#include <atomic>
#include <string>

#include "queue/line_order.hpp"
#include "queue/partition_stream.hpp"
#include "store/rabbit/rabbit.hpp"

namespace floodgate::queue {

// What a message says beside its body, which is the entry's.
inline constexpr const char* epoch_header = "epoch";
inline constexpr const char* last_header = "last";

class relay {
public:
    relay(partition_stream& stream, store::rabbit& rabbit, std::string exchange,
          std::string routing_key);

    void begin(sale::line_place entered);
    // Moves what is there, waiting for it up to `wait`. Nothing any more once it is broken.
    result<void> move(milliseconds wait);
    // The stream does not go on where it ended, which is seen().
    bool broken() const { return broken_; }

    sale::line_place seen() const { return order_.end(); }  // the last one read
    // Whether everything up to there is confirmed, and perhaps gone from the stream. False: the
    // stream has it still, and it will be published (again).
    bool has_passed(sale::line_place last) const;
    std::uint64_t moved() const { return moved_; }

private:
    bool fits(const stream_entry& e);
    result<void> publish(std::span<const stream_entry> entries);
    result<void> clear();

    partition_stream& stream_;
    store::rabbit& rabbit_;
    const std::string exchange_, routing_key_;
    line_order order_;
    sale::line_place entered_;
    bool broken_ = false;
    bool missing_ = false;  // there was a gap; perhaps another reader has what belongs there
    bool began_ = false;    // the first entry's place is where it begins
    std::uint64_t confirmed_ = 0;
    std::vector<sale::line_place> needless_;
    std::atomic<std::uint64_t> moved_{0};
};

}  // namespace floodgate::queue
