#include "engine/gate_options.hpp"

#include <algorithm>

namespace floodgate::engine {
namespace {

// An attempt with an Idempotency-Key asks twice, each time for up to answer_within. Twice as long
// again, so that a claim never ends before the attempt that made it.
constexpr int claim_factor = 4;

}  // namespace

gate::redis_turnstile_options gate_options(const settings& s) {
    gate::redis_turnstile_options o;
    o.name = s.cluster.name;
    o.partitions = s.cluster.partitions;
    o.node = s.node;
    o.answer_within = s.cluster.answer_within;
    o.backlog_max = s.gate.backlog_max;
    o.key_claimed_for = std::max(o.key_claimed_for, claim_factor * o.answer_within);
    // Then a key outlives the gate's memory of its sale, if the sale lasts no longer than a week.
    o.key_kept_for += s.memory.forget_after;
    return o;
}

}  // namespace floodgate::engine
