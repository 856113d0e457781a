// Whether a node sells, decided from what was seen of its stores. Pure: store_health.hpp looks.
//
// Ready means that purchases are accepted. A ledger that is away is a warning as long as the gate
// promises: promises wait in their line, and no node sells more by being taken out of the traffic.

#pragma once

#include <cstdint>

#include "api/services.hpp"

namespace floodgate::engine {

// Of the gate's partitions; the embedded gate is one.
struct gate_sight {
    std::uint32_t partitions = 1;
    std::uint32_t closed = 0;  // being rebuilt from the ledger
    std::uint32_t full = 0;    // open, but as many promises wait for the ledger as may
};

struct store_sight {
    bool gate_answers = false;
    bool built_once = false;  // since start every partition was open at some moment
    gate_sight gate{};
    bool ledger_answers = false;
    bool ledger_enters = true;  // false: promises could not be entered at the last try
};

api::readiness judge_readiness(const store_sight& seen);

}  // namespace floodgate::engine
