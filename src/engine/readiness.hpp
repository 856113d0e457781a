// Decides whether a node sells, from what store_health.hpp has seen of its stores. Pure.
//
// Ready means that purchases are accepted. An unreachable ledger is only a warning as long as the
// gate makes promises: they wait in their line, and taking the node out of the traffic would sell
// nothing.

#pragma once

#include <cstdint>

#include "api/services.hpp"

namespace floodgate::engine {

// Counts of the gate's partitions. The embedded gate is one partition.
struct gate_sight {
    std::uint32_t partitions = 1;
    std::uint32_t closed = 0;  // being rebuilt from the ledger
    std::uint32_t full = 0;    // open, but too many promises wait for the ledger
};

struct store_sight {
    bool gate_answers = false;
    bool built_once = false;  // at some moment since the start, every partition was open
    gate_sight gate{};
    bool ledger_answers = false;
    bool ledger_enters = true;  // false: the last try to enter promises failed
    bool points_answer = true;  // false: they live elsewhere and do not answer
};

api::readiness judge_readiness(const store_sight& seen);

}  // namespace floodgate::engine
