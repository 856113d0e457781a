// The lines of promises whose positions the ledger keeps, by number.
//
// The numbers are stored: a line keeps its own for ever.

#pragma once

#include "base/tagged.hpp"
#include "sale/partition.hpp"

namespace floodgate::sale {

using line_id = tagged<std::int64_t, struct line_tag>;

// The journal of the embedded mode.
inline constexpr line_id journal_line{1};

// A partition's stream.
constexpr line_id line_of(partition p) { return {1000 + std::int64_t{p.number}}; }

// Promises that were found outside their partition's line and that the ledger refuses. They are
// put aside under a line of their own, because their partition's line has moved on.
constexpr line_id strays_line_of(partition p) { return {2000 + std::int64_t{p.number}}; }

static_assert(partitions_max <= 1000, "the lines of partitions and those of strays do not meet");

}  // namespace floodgate::sale
