// The decision: (state, attempt, now) -> (verdict, promise). One writer, no clock, no I/O.
//
// The same attempts at the same moments lead to the same decisions, and replaying the promises it
// made leads back to the same state. A restart relies on this.

#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <memory>
#include <span>

#include "gate/shelf.hpp"
#include "sale/order_number.hpp"

namespace floodgate::gate {

struct decision {
    sale::verdict verdict;
    sale::promise promise{};  // only when the verdict is `accepted`; not put down yet
    // The shelf that the verdict rests on: that of the attempt's sale, or that of the sale at which
    // its key was used. Null: unknown sale.
    shelf* on = nullptr;
};

class arbiter {
public:
    explicit arbiter(std::uint32_t node) : numbers_(node) {}

    // Whether the attempt gets its units, and the promise to put down if it does. With
    // `may_promise` false, an attempt that would be accepted is answered `busy`.
    decision decide(const sale::attempt& a, instant now, bool may_promise);

    // Sets the units of an accepted decision aside. `seq`: the promise's place in the line.
    void put_down(const decision& d, sale::sequence seq);

    // errc::conflict: fewer units in total than are taken.
    result<void> warm_up(const sale::sale& s);

    // Takes the sale out, with everything held for it. Null: it is not loaded. From now on its keys
    // count as unused; forget_keys() frees their memory, a few at a time.
    std::unique_ptr<shelf> forget(sale::sale_id id);
    void forget_keys(sale::sale_id of, std::span<const sale::idempotency_key> keys);

    // Puts down a promise made before a restart, from the ledger (seq 0) or from the line. If its
    // sale is not loaded, it only makes sure that its order number is not given out again.
    void restore(const sale::promise& p, sale::sequence seq);
    // Remembers the Idempotency-Key of an order that no longer holds units.
    void restore_key(const sale::promise& p);
    // Sets aside the units of an order that the gate had lost. not_found: its sale is not loaded;
    // conflict: fewer units are free.
    result<void> retake(const sale::promise& p);
    void skip_past(sale::order_no seen) { numbers_.skip_past(seen); }

    shelf* find(sale::sale_id id);
    std::vector<turnstile::promised> promised_to(sale::user_id buyer);

private:
    void bind(const sale::idempotency_key& key, sale::sale_id to);

    sale::order_numbers numbers_;
    boost::unordered_flat_map<sale::sale_id, std::unique_ptr<shelf>, spread> shelves_;
    // The sale at which each Idempotency-Key was used: one key is one intent of its buyer,
    // whichever sale it is sent to. An entry whose sale is not loaded counts as absent.
    split_map<sale::idempotency_key, sale::sale_id> used_at_;
};

}  // namespace floodgate::gate
