// Decisions about letters: promises that could not be entered (ledger/letter_book.hpp). Operators
// and the timed retries use the same verbs, and both are settled by the same rule.

#pragma once

#include <string>

#include "base/clock.hpp"
#include "ledger/ledger.hpp"
#include "shop/audit_trail.hpp"
#include "shop/settlement.hpp"

namespace floodgate::shop {

// Any thread. A decision of a person is signed in the audit book, in the same transaction.
// Besides the errors listed, both verbs give those of the ledger, and fenced when the actor's
// ledger no longer belongs to this node.
class letter_desk {
public:
    struct world {
        ledger::ledger& book;
        const settlement& after;
        const floodgate::clock& clock;
    };
    explicit letter_desk(const world& w) : world_(w) {}

    // Enters the promise after all. If the ledger refuses the order, its units go back; the buyer
    // is told in either case. not_found; conflict: decided already; rejected: the ledger still does
    // not take it.
    result<ledger::entry_report> replay(std::int64_t id, const actor& by);
    // Gives the promise up: a failed order, whose units go back. not_found; conflict: decided
    // already, or the ledger has its order; rejected.
    result<sale::order> discard(std::int64_t id, const std::string& reason, const actor& by);

private:
    ledger::ledger& through(const actor& by) const { return by.book ? *by.book : world_.book; }
    void settle(const sale::order& decided) const;

    const world world_;
};

const char* outcome_of(const ledger::entry_report& report);  // of a replay: entered, refused

}  // namespace floodgate::shop
