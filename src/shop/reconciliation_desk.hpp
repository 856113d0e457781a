// What an operator asks about a sale that does not add up, and its repair. The timed reconciliation
// (jobs/reconciler.hpp) looks at every sale, judges what it sees, and publishes it here.

#pragma once

#include <mutex>
#include <string>

#include "sale/balance.hpp"
#include "shop/catalogue_desk.hpp"
#include "shop/order_match.hpp"

namespace floodgate::shop {

// Any thread. Besides the errors listed, every verb gives those of the ledger and of
// in_flight::of_sale.
class reconciliation_desk {
public:
    struct world {
        match_world orders;
        catalogue_desk& catalogue;  // loads the repaired terms into the gate
        node& self;
        const floodgate::clock& clock;
    };
    explicit reconciliation_desk(const world& w) : world_(w) {}

    // The latest look at every sale.
    sale::reconciliation latest() const;
    void publish(sale::reconciliation seen);

    // Looks at one sale now. Its differences are those of this moment, whether or not work in
    // flight explains them. Nothing is concluded from them. not_found.
    result<sale::balance> look_now(sale::sale_id id);
    // What is wrong with a sale now: one sentence each, naming at most twenty orders. not_found.
    result<ledger::findings> explain(sale::sale_id id);

    // Makes book and gate agree with the orders in the book. Every change is by a difference and
    // logged; no count is overwritten. The audit line about the book's part is written together
    // with it, before the gate is touched; if the gate had a part, a second line tells all of it.
    // not_found; conflict: the sale was changed meanwhile.
    result<ledger::repair_report> repair(sale::sale_id id, const std::string& note,
                                         const actor& by);

private:
    result<void> repair_gate(sale::sale_id id, ledger::repair_report& report);
    void adopt_stock(sale::sale_id id, ledger::repair_report& report);
    void note(sale::balance& seen);

    const world world_;
    mutable std::mutex mutex_;
    sale::reconciliation latest_;  // guarded by mutex_
};

}  // namespace floodgate::shop
