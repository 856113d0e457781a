// The clerk's work without its thread: enters one batch after another from the line of promises in
// the ledger. One thread does the work; functions marked so may be called by any thread.
//
// A batch that the ledger refuses is split in halves, again and again, until the promise at fault
// stands alone. That promise is put aside, and the line goes on.

#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "clerk/pace.hpp"
#include "clerk/ports.hpp"
#include "gate/turnstile.hpp"
#include "sale/news.hpp"
#include "shop/node.hpp"
#include "shop/settlement.hpp"

namespace floodgate::clerk {

// What the metrics show. Counted since start.
struct figures {
    std::uint64_t entered = 0;    // promises that are orders now
    std::uint64_t refused = 0;    // promises that the ledger refused: failed orders
    std::uint64_t put_aside = 0;  // promises that could not be entered: letters
    std::uint64_t batches = 0;
    std::uint64_t last_batch = 0;  // promises
    milliseconds last_batch_took{0};
    std::uint64_t backlog = 0;      // durable promises not entered
    milliseconds lag{0};            // how long the oldest of them has waited
    instant failing_since = never;  // never: it is not failing
};

enum class outcome : std::uint8_t {
    nothing = 1,  // every durable promise is in the ledger
    part,         // entered a batch that was not full
    full,         // there may be more: a full batch was entered, or a part of one
    failed,       // the journal or the ledger is unavailable; the batch is kept for the next step
    corrupt,      // the journal cannot be read: nothing will ever be entered again
};

class desk {
public:
    struct world {
        sale::promise_source& source;
        order_sink& sink;
        gate::turnstile& turnstile;
        const floodgate::clock& clock;
        // Told of promises that were entered or refused, but not of those put aside, which are
        // still queued to their buyers.
        shop::node& node;
    };
    // `entered` is the ledger's position at start.
    desk(const world& w, const options& o, sale::sequence entered);

    // Enters one batch, or (a part of) the one that failed before; then releases the units of
    // refused promises at the gate; then lets the journal forget the batch. In this order, a crash
    // in between only repeats the batch, which the ledger knows by its position.
    outcome step();

    // Reads the oldest promise to learn how long it has waited. For a clerk that is pausing, so
    // that it knows when to work again.
    void note_oldest();

    std::uint64_t failures() const { return failures_; }          // in a row
    const std::string& failure() const { return last_failure_; }  // of the last of them

    // Any thread.
    sale::sequence position() const { return {position_.load()}; }
    std::uint64_t backlog() const;
    milliseconds oldest_age() const;  // 0 when nothing is waiting
    figures read_figures() const;

private:
    using piece = std::span<const sale::promise>;

    std::optional<outcome> gather();
    outcome book();
    outcome cope(piece tried, boost::system::error_code error);
    bool is_to_blame(piece tried);
    outcome put_aside(const sale::promise& p, boost::system::error_code error);
    outcome advance();
    void settle(piece entered, ledger::entry_report report);
    void append_known(piece entered, std::vector<sale::order_news>& news);
    outcome fail(const char* where, boost::system::error_code error);
    void recover();
    void count(piece entered, const ledger::entry_report& report, instant begun);

    const world world_;
    const std::size_t batch_max_;
    const sale::retry_schedule retries_;
    const shop::settlement settlement_;
    std::vector<sale::promise> batch_;  // read, and not yet completely in the ledger
    std::size_t done_ = 0;              // the number of its promises that are done
    std::vector<std::size_t> pieces_;   // sizes in which the rest is tried, the last first
    bool splitting_ = false;            // a promise of the batch is at fault, not the ledger
    std::uint64_t tries_ = 0;           // failed tries of the next piece while the ledger was well
    std::uint64_t failures_ = 0;
    std::string last_failure_;

    std::atomic<std::uint64_t> position_;
    std::atomic<std::int64_t> oldest_ms_{0};  // 0: nothing is waiting
    mutable std::mutex mutex_;
    figures figures_;  // guarded by mutex_; backlog and lag are filled in when read
};

}  // namespace floodgate::clerk
