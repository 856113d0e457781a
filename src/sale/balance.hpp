// Where the units of a sale are: stock = free + promised + unpaid + paid + refunding.
//
// Put together from the gate, the line of promises and the ledger by the reconciliation, shown to
// operators and on /metrics.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "sale/ids.hpp"

namespace floodgate::sale {

struct balance {
    sale_id sale;
    std::int64_t stock = 0;     // the ledger's total
    std::int64_t free = 0;      // the gate's: total less taken
    std::int64_t promised = 0;  // taken at the gate, not in the ledger's book yet
    std::int64_t unpaid = 0, paid = 0, refunding = 0;
    std::int64_t letters = 0;  // of the promised ones: put aside, see ledger/letter_book.hpp

    // What does not add up, one sentence each, naming rows; empty when all is well or when the
    // difference is no older than work in flight.
    std::vector<std::string> differences;
    instant wrong_since = never;

    std::int64_t off_by() const { return stock - free - promised - unpaid - paid - refunding; }
};

struct reconciliation {
    instant at = never;            // of the latest look; never: none yet
    std::vector<balance> sales{};  // in order of id
};

}  // namespace floodgate::sale
