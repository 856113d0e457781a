// The decisions on how fast the clerk works and when it waits, as pure functions.

#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>

#include "base/clock.hpp"
#include "sale/retry_schedule.hpp"

namespace floodgate::clerk {

// A ceiling on what may be written to the database: a token bucket over batches, shared by all
// clerks of a node. A batch is written as a whole, and what it took too much is waited for.
class entry_ceiling {
public:
    explicit entry_ceiling(std::int64_t per_s) : per_s_(per_s) {}

    // Promises in one transaction: a tenth of a second's worth, so that the writing is even.
    std::size_t batch_max() const {
        return static_cast<std::size_t>(std::max<std::int64_t>(per_s_ / 10, 1));
    }
    // How long to wait before the next batch. 0: it may begin now.
    milliseconds wait(moment now);
    void note(std::uint64_t entered, moment now);

private:
    const std::int64_t per_s_;
    std::mutex mutex_;
    moment free_at_{};  // guarded by mutex_: when what was written is paid for
};

struct options {
    std::size_t batch_max = 10'000;  // promises in one ledger transaction
    // When a promise is older than this, or the backlog is half of what the gate allows (see
    // gate::embedded_turnstile::options), the clerk no longer pauses in a rush.
    milliseconds patience{5000};
    // When a promise is older than this, or the backlog as large, it also takes its share of the
    // core.
    milliseconds starved{30'000};
    std::uint64_t backlog_max = 5'000'000;
    // While more promises than this are made in a second, the clerk pauses, unless its work is
    // pressing: entering orders takes disk and caches from the gate even when a core is free.
    std::uint64_t rush_per_s = 10'000;
    milliseconds poll{20};          // the longest pause between two looks for promises
    milliseconds linger{20};        // in a rush, the wait for a batch to grow
    milliseconds retry_first{50};   // the pause after a failure of the store, which doubles
    milliseconds retry_last{1000};  // up to this
    milliseconds drain{5000};       // the longest time that stop() still enters promises
    sale::retry_schedule retries;   // of a promise that was put aside
    std::shared_ptr<entry_ceiling> ceiling{};  // null: none
};

enum class priority : std::uint8_t {
    low = 1,  // runs when no other thread wants the core: event loops and the journal come first
    normal,
};

struct workload {
    priority current = priority::low;
    std::uint64_t backlog = 0;  // durable promises not entered
    milliseconds oldest_age{0};
};

// Normal when the clerk is starved or the gate would soon answer `busy`. Low again only when the
// rest fits in one batch, so that the priority does not go back and forth.
priority priority_for(const workload& w, const options& o);

// Whether the work can no longer wait for the end of the rush. Once true, it stays true until the
// rest fits in one batch.
bool pressing(bool was, const workload& w, const options& o);

// Tells whether a rush is on, from the end of the line of promises at each look.
class rush_sense {
public:
    using moment = std::chrono::steady_clock::time_point;

    explicit rush_sense(std::uint64_t rush_per_s) : rush_per_s_(rush_per_s) {}

    // True while promises come faster than `rush_per_s`. A look less than 10 ms after the last one
    // changes nothing.
    bool look(std::uint64_t line_end, moment now);

private:
    const std::uint64_t rush_per_s_;
    std::uint64_t seen_ = 0;
    moment seen_at_{};  // never looked
    bool rush_ = false;
};

// How long to wait after this many failures in a row.
milliseconds retry_after(std::uint64_t failures, const options& o);

}  // namespace floodgate::clerk
