// Promises in flight: made at the gate and not in the ledger yet. For the reconciliation.

#pragma once

#include <functional>
#include <vector>

#include "ledger/ledger.hpp"
#include "sale/promise_source.hpp"

namespace floodgate::shop {

// How a thread lets time pass while it waits for another one. Tests pass their own.
using pause = std::function<void(milliseconds)>;
void pause_this_thread(milliseconds time);

class in_flight {
public:
    virtual ~in_flight() = default;

    // An upper bound of the promises in flight, of all sales, at the moment of this view of the
    // ledger. Called after the gate was read, so it covers everything that was in flight then.
    virtual std::uint64_t count(const ledger::tally& book) = 0;

    // The numbers of a sale's promises that the ledger may not have yet, sorted. Called after the
    // gate was read and before the ledger is, so that every promise of the gate is found here or in
    // the ledger. store_unavailable: it cannot be known now.
    virtual result<std::vector<sale::order_no>> of_sale(sale::sale_id id) = 0;
};

// For the journal: the promises after the ledger's position.
class journal_in_flight final : public in_flight {
public:
    // `appended` gives the end of the line, durable or not.
    journal_in_flight(ledger::ledger& book, sale::promise_source& line,
                      std::function<sale::sequence()> appended, pause rest = pause_this_thread)
        : book_(book), line_(line), appended_(std::move(appended)), pause_(std::move(rest)) {}

    std::uint64_t count(const ledger::tally& book) override;
    // Waits for at most a second until what was appended is durable.
    result<std::vector<sale::order_no>> of_sale(sale::sale_id id) override;

private:
    result<void> wait_until_durable(sale::sequence end);

    ledger::ledger& book_;
    sale::promise_source& line_;
    const std::function<sale::sequence()> appended_;
    const pause pause_;
};

}  // namespace floodgate::shop
