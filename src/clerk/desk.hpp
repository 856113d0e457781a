// One batch after the other from the line of promises into the book: the clerk's work, without its
// thread. The work is done by one thread; what is marked so may be called from any.

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

namespace floodgate::clerk {

// A batch that is in the book now. Valid during the call only.
struct entered_batch {
    std::span<const sale::promise> promises;  // all of them, the refused ones too
    std::span<const ledger::refusal> refused;
};

// What the metrics show. Counted since start.
struct figures {
    std::uint64_t entered = 0;  // promises that are orders now
    std::uint64_t refused = 0;  // and those that are not
    std::uint64_t batches = 0;
    std::uint64_t last_batch = 0;  // promises
    milliseconds last_batch_took{0};
    std::uint64_t backlog = 0;      // durable promises not entered
    milliseconds lag{0};            // how long the oldest of them has waited
    instant failing_since = never;  // never: it is not failing
};

enum class outcome : std::uint8_t {
    nothing = 1,  // every durable promise is in the book
    part,         // entered a batch that was not full
    full,         // entered a full batch: there may be more
    failed,       // the journal or the ledger is unavailable; the batch is kept for the next step
    corrupt,      // the journal cannot be read: nothing will ever be entered again
};

class desk {
public:
    // `entered` is the ledger's position at start. `told` is called after each batch, from the
    // working thread; it must be quick and must not throw.
    struct world {
        promise_source& source;
        order_sink& sink;
        gate::turnstile& turnstile;
        const floodgate::clock& clock;
    };
    desk(world w, std::size_t batch_max, sale::sequence entered,
         std::function<void(const entered_batch&)> told);

    // Enters one batch, or the one that failed before; gives back to the gate what the ledger
    // refused; lets the journal forget the batch. In this order: a crash in between repeats the
    // batch, which the ledger knows by its position.
    outcome step();

    // How long the oldest promise has waited is known only after a look at it. For a clerk that
    // does not work: so that it learns when to.
    void note_oldest();

    std::uint64_t failures() const { return failures_; }          // in a row
    const std::string& failure() const { return last_failure_; }  // of the last of them

    // Any thread.
    sale::sequence position() const { return {position_.load()}; }
    std::uint64_t backlog() const;
    milliseconds oldest_age() const;  // 0 when nothing is waiting
    figures read_figures() const;

private:
    std::optional<outcome> gather();
    outcome book();
    void settle(const ledger::entry_report& report);
    outcome fail(const char* where, boost::system::error_code error);
    void recover();
    void count(const ledger::entry_report& report, instant begun);

    const world world_;
    const std::size_t batch_max_;
    const std::function<void(const entered_batch&)> told_;
    std::vector<sale::promise> batch_;  // in hand: read and not in the book
    std::uint64_t failures_ = 0;
    std::string last_failure_;

    std::atomic<std::uint64_t> position_;
    std::atomic<std::int64_t> oldest_ms_{0};  // 0: nothing is waiting
    mutable std::mutex mutex_;
    figures figures_;  // guarded by mutex_; backlog and lag are filled in when read
};

}  // namespace floodgate::clerk
