// Whether an entry is the next one of its line: contiguous within one epoch, each entry once.
//
// Pure. Readers of a partition's stream and of the RabbitMQ queue behind it both use it. It
// remembers every entry that is not yet removed from its store. So it can tell an entry that comes
// a second time (an acknowledgement was lost) from another entry under the same number (the store
// went back to an older state and gave out numbers again).

#pragma once

#include <deque>
#include <optional>
#include <string_view>

#include "sale/partition.hpp"

namespace floodgate::queue {

enum class entry_verdict : std::uint8_t {
    next = 1,      // take it
    known,         // it has come before, and is not removed yet
    before_start,  // the ledger had all of it at the beginning
    passed,        // its number was taken and removed since the beginning
    gap,           // an entry before it is missing
    foreign,       // of another epoch, or at an impossible place
    unreadable     // it holds no promises
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
    // To be called when the first `count` of held() are removed from their store.
    void removed(std::size_t count);
    std::optional<std::size_t> find(sale::line_place last) const;  // which of held()

private:
    std::uint64_t epoch_ = 0, start_ = 0, end_ = 0;
    std::deque<line_entry> held_;
};

}  // namespace floodgate::queue
