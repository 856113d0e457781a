// Where the units of a sale are: stock = free + promised + unpaid + paid + refunding.
//
// The reconciliation puts this together from the gate, the line of promises and the ledger.
// Operators see it in the admin API and on /metrics.

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
    std::int64_t promised = 0;  // taken at the gate, not yet in the ledger
    std::int64_t unpaid = 0, paid = 0, refunding = 0;
    std::int64_t letters = 0;  // promised units that are put aside: ledger/letter_book.hpp

    // What does not add up: one sentence each, naming rows. Empty when everything adds up, or when
    // work in flight may still explain the difference.
    std::vector<std::string> differences;
    instant wrong_since = never;

    std::int64_t off_by() const { return stock - free - promised - unpaid - paid - refunding; }
};

struct reconciliation {
    instant at = never;            // when this was put together; never: not yet
    std::vector<balance> sales{};  // in order of id
};

}  // namespace floodgate::sale
