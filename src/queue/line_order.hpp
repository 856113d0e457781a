// Whether an entry is the next one of its line: contiguous within one epoch, each entry once.
//
// Pure; the same for whoever reads a partition's stream or the RabbitMQ queue behind it. It
// remembers every entry that is not yet removed from where it came from, so that one that comes a
// second time (an acknowledgement was lost) is told from another one under the same number (the
// store went back in time and numbered anew).

#pragma once

#include <deque>
#include <optional>
#include <string_view>

#include "sale/partition.hpp"

namespace floodgate::queue {

enum class entry_verdict : std::uint8_t {
    next = 1,      // take it
    known,         // it has come before, and is not removed yet
    before_start,  // the ledger had all of it when we began
    passed,        // under a number that was taken and removed since we began
    gap,           // something is missing before it
    foreign,       // of another epoch, or it cannot stand where it stands
    unreadable     // no promises in it
};

struct line_entry {
    sale::line_place last;        // of its last promise
    std::size_t promises = 0;     // how many it holds
    std::uint64_t tag = 0;        // the reader's own, e.g. RabbitMQ's delivery tag
    std::size_t fingerprint = 0;  // of its bytes
};

std::size_t fingerprint_of(std::string_view bytes);

class line_order {
public:
    void begin(sale::line_place entered);

    // Remembers the entry when it is the next.
    entry_verdict judge(const line_entry& e);

    sale::line_place start() const { return {epoch_, start_}; }
    sale::line_place end() const { return {epoch_, end_}; }  // of what was taken

    // Taken and not removed, in order.
    std::deque<line_entry>& held() { return held_; }
    const std::deque<line_entry>& held() const { return held_; }
    // The first `count` of them are removed from where they came from.
    void removed(std::size_t count);
    std::optional<std::size_t> find(sale::line_place last) const;  // which of held()

private:
    std::uint64_t epoch_ = 0, start_ = 0, end_ = 0;
    std::deque<line_entry> held_;
};

}  // namespace floodgate::queue
