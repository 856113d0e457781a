// What the gate has promised and the book does not have yet, for the reconciliation.

#pragma once

#include <functional>
#include <vector>

#include "ledger/ledger.hpp"
#include "sale/promise_source.hpp"

namespace floodgate::shop {

class in_flight {
public:
    virtual ~in_flight() = default;

    // At most so many promises, of all sales, were on their way at the moment of this view of the
    // book. Called after the gate was looked at, so it is not less than what was there then.
    virtual std::uint64_t count(const ledger::tally& book) = 0;

    // The numbers of a sale's promises that the book may not have yet, sorted. Called after the
    // gate was looked at and before the book is: a promise that is on its way is found in one of
    // them. store_unavailable: it cannot be known now.
    virtual result<std::vector<sale::order_no>> of_sale(sale::sale_id id) = 0;
};

// On one line: what the source holds after the ledger's position.
class journal_in_flight final : public in_flight {
public:
    // `appended` is where the line ends, durable or not.
    journal_in_flight(ledger::ledger& book, sale::promise_source& line,
                      std::function<sale::sequence()> appended)
        : book_(book), line_(line), appended_(std::move(appended)) {}

    std::uint64_t count(const ledger::tally& book) override;
    result<std::vector<sale::order_no>> of_sale(sale::sale_id id) override;

private:
    ledger::ledger& book_;
    sale::promise_source& line_;
    const std::function<sale::sequence()> appended_;
};

}  // namespace floodgate::shop
