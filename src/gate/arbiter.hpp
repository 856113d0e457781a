// The decision: (state, attempt, now) -> (verdict, promise). One writer, no clock, no I/O.
//
// Feed it the same attempts at the same moments and it decides the same; replay the promises it
// made and it is in the same state again. That is what a restart does.

#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <memory>

#include "gate/shelf.hpp"
#include "sale/order_number.hpp"

namespace floodgate::gate {

struct decision {
    sale::verdict verdict;
    sale::promise promise{};  // only when the verdict is `accepted`; not put down yet
    shelf* on = nullptr;      // null: unknown sale
};

class arbiter {
public:
    explicit arbiter(std::uint32_t node) : numbers_(node) {}

    // Whether the attempt may have its units, and the promise that gives it to them. With
    // `may_promise` false, what would be accepted is `busy` instead.
    decision decide(const sale::attempt& a, instant now, bool may_promise);

    // errc::conflict: fewer units in total than are taken.
    result<void> warm_up(const sale::sale& s);

    // With all that is held of it.
    void forget(sale::sale_id id) { shelves_.erase(id); }

    // A promise made before a restart, from the ledger (seq 0) or the line. One whose sale is not
    // loaded only teaches the order numbers.
    void restore(const sale::promise& p, sale::sequence seq);
    // An order that holds nothing any more, for its Idempotency-Key.
    void restore_key(const sale::promise& p);
    void skip_past(sale::order_no seen) { numbers_.skip_past(seen); }

    shelf* find(sale::sale_id id);
    std::vector<turnstile::promised> promised_to(sale::user_id buyer);

private:
    sale::order_numbers numbers_;
    boost::unordered_flat_map<sale::sale_id, std::unique_ptr<shelf>, spread> shelves_;
};

}  // namespace floodgate::gate
