// How fast the clerk works and when it may wait: the decisions, without the doing.

#pragma once

#include <chrono>
#include <cstdint>

#include "base/clock.hpp"
#include "sale/retry_schedule.hpp"

namespace floodgate::clerk {

struct options {
    std::size_t batch_max = 10'000;  // promises in one ledger transaction
    // A promise older than this, or a backlog of half of what the gate allows (see
    // gate::embedded_turnstile::options), and the clerk no longer stands aside in a rush.
    milliseconds patience{5000};
    // Older than this, or that backlog, and it takes its share of the core too.
    milliseconds starved{30'000};
    std::uint64_t backlog_max = 5'000'000;
    // While more than this many promises a second are made, the clerk stands aside, unless it is
    // pressed: entering orders costs the gate the disk and the caches even when the core is free.
    std::uint64_t rush_per_s = 10'000;
    milliseconds poll{20};          // looks for promises at least so often
    milliseconds linger{20};        // in a rush, waits so long for a batch to grow
    milliseconds retry_first{50};   // after the store failed; doubles up to
    milliseconds retry_last{1000};  // this
    milliseconds drain{5000};       // stop() enters what is durable for at most so long
    sale::retry_schedule retries;   // of a promise that was put aside
};

enum class priority : std::uint8_t {
    low = 1,  // runs when nobody else wants the core: event loops and the journal come first
    normal,
};

struct workload {
    priority current = priority::low;
    std::uint64_t backlog = 0;  // durable promises not entered
    milliseconds oldest_age{0};
};

// Up when the clerk is starved or the gate would soon answer `busy`; down only when what is left
// fits in one batch, so that it does not go back and forth at the edge.
priority priority_for(const workload& w, const options& o);

// Whether the work can no longer wait for the end of the rush. Once it is, it stays so until what
// is left fits in one batch.
bool pressing(bool was, const workload& w, const options& o);

// Whether a rush is on, from where the line of promises ends at each look.
class rush_sense {
public:
    using moment = std::chrono::steady_clock::time_point;

    explicit rush_sense(std::uint64_t rush_per_s) : rush_per_s_(rush_per_s) {}

    // True while promises come faster than that. Looks less than 10 ms apart change nothing.
    bool look(std::uint64_t line_end, moment now);

private:
    const std::uint64_t rush_per_s_;
    std::uint64_t seen_ = 0;
    moment seen_at_{};  // never looked
    bool rush_ = false;
};

// How long to wait after the n-th failure in a row, from 1.
milliseconds retry_after(std::uint64_t failures, const options& o);

}  // namespace floodgate::clerk
