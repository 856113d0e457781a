// What a start brings back to memory: gate = ledger + the journal after the ledger's position.

#pragma once

#include <chrono>
#include <set>

#include "gate/embedded_turnstile.hpp"
#include "journal/journal.hpp"
#include "ledger/ledger.hpp"

namespace floodgate::shop {

// A sale that ended this long ago gets no more questions worth the memory of its buyers.
inline constexpr auto remembered_after_end = std::chrono::hours(24);

struct restore_point {
    sale::sequence entered;  // the ledger holds everything up to here
    instant now;
};

// The sales that were over for so long that their buyers were not loaded.
using forgotten_sales = std::set<sale::sale_id>;

// Throws std::runtime_error when ledger or journal cannot be read.
forgotten_sales restore_gate(ledger::ledger& book, journal::journal& line,
                             gate::embedded_turnstile& gate, restore_point from);

}  // namespace floodgate::shop
