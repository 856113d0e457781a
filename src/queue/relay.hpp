// Moves entries from a partition's stream to RabbitMQ: each is published, confirmed, and then
// removed from the stream. Used by one thread.

#pragma once

#include <atomic>
#include <string>

#include "queue/line_order.hpp"
#include "queue/partition_stream.hpp"
#include "store/rabbit/rabbit.hpp"

namespace floodgate::queue {

// The headers of a message. Its body is the entry's.
inline constexpr const char* epoch_header = "epoch";
inline constexpr const char* last_header = "last";

class relay {
public:
    relay(partition_stream& stream, store::rabbit& rabbit, std::string exchange,
          std::string routing_key);

    void begin(sale::line_place entered);
    // Moves the entries in the stream, waiting up to `wait` for the first. Does nothing once
    // broken().
    result<void> move(milliseconds wait);
    // The stream does not continue after seen().
    bool broken() const { return broken_; }

    sale::line_place seen() const { return order_.end(); }  // the last one read
    // Whether everything up to `last` is confirmed, and perhaps removed from the stream. False: the
    // stream still has it, and it will be published (again).
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
    bool missing_ = false;  // there was a gap; another reader may have the missing entries
    bool began_ = false;    // the first entry's place is where it begins
    std::uint64_t confirmed_ = 0;
    std::vector<sale::line_place> needless_;
    std::atomic<std::uint64_t> moved_{0};
};

}  // namespace floodgate::queue
