// How fast the clerk works and when it may wait: the decisions, without the doing.

#pragma once

#include <cstdint>

#include "base/clock.hpp"

namespace floodgate::clerk {

struct options {
    std::size_t batch_max = 10'000;  // promises in one ledger transaction
    // A promise older than this, or a backlog of half of what the gate allows (see
    // gate::embedded_turnstile::options), and the clerk takes its share of the core.
    milliseconds patience{5000};
    std::uint64_t backlog_max = 5'000'000;
    milliseconds poll{20};          // looks for promises at least so often
    milliseconds linger{20};        // in a rush, waits so long for a batch to grow
    milliseconds retry_first{50};   // after the store failed; doubles up to
    milliseconds retry_last{1000};  // this
    milliseconds drain{5000};       // stop() enters what is durable for at most so long
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

// Up when buyers wait too long or the gate would soon answer `busy`; down only when what is left
// fits in one batch, so that it does not go back and forth at the edge.
priority priority_for(const workload& w, const options& o);

// How long to wait after the n-th failure in a row, from 1.
milliseconds retry_after(std::uint64_t failures, const options& o);

}  // namespace floodgate::clerk
