// The promises that were fetched from a partition's line and are not in the ledger yet, between the
// thread that fetches and the clerk that reads. Any thread.

#pragma once

#include <deque>
#include <mutex>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "queue/line_order.hpp"

namespace floodgate::queue {

class received_line {
public:
    void begin(sale::sequence entered);

    // The clerk's side: see promise_queue.
    result<void> read(sale::sequence after, std::size_t max, std::vector<sale::promise>& out) const;
    void entered(sale::sequence position);
    sale::sequence durable() const;

    // The fetching side.
    entry_verdict add(sale::line_place last, std::string_view body, std::uint64_t tag = 0);
    void saw(sale::line_place promised);  // it is in the line, although not fetched yet
    // The line cannot continue. read() gives what was fetched, and then corrupt.
    void give_up();
    bool given_up() const;

    std::size_t size() const;             // promises in hand
    sale::line_place end() const;         // the last one taken
    sale::line_place ledger_has() const;  // as entered() said

    // Entries whose last promise is entered and which are not removed from their store, in order.
    std::vector<line_entry> to_remove(std::size_t max) const;
    void removed(std::size_t count);

    // Tags belong to a connection. After a new connection, none are known until the entries come
    // again.
    void forget_tags();
    enum class tagging : std::uint8_t {
        doubled = 1,  // it has one already, or is removed
        in_order,
        out_of_order  // one before it has none
    };
    tagging tag(sale::line_place last, std::uint64_t tag);

private:
    mutable std::mutex mutex_;
    line_order order_;
    std::deque<sale::promise> promises_;  // the first is number entered_ + 1
    std::uint64_t entered_ = 0;
    std::uint64_t durable_ = 0;
    bool given_up_ = false;
};

}  // namespace floodgate::queue
