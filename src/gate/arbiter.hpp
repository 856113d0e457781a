// The decision: (state, attempt, now) -> (verdict, promise). One writer, no clock, no I/O.
//
// Feed it the same attempts at the same moments and it decides the same; replay the promises it
// made and it is in the same state again. That is what a restart does.

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
    // What the verdict rests on: the attempt's shelf, or the one that its key was used at. Null:
    // unknown sale.
    shelf* on = nullptr;
};

class arbiter {
public:
    explicit arbiter(std::uint32_t node) : numbers_(node) {}

    // Whether the attempt may have its units, and the promise that gives it to them. With
    // `may_promise` false, what would be accepted is `busy` instead.
    decision decide(const sale::attempt& a, instant now, bool may_promise);

    // Sets the units of an accepted decision aside. `seq`: the promise's place in the line.
    void put_down(const decision& d, sale::sequence seq);

    // errc::conflict: fewer units in total than are taken.
    result<void> warm_up(const sale::sale& s);

    // Takes the sale off with all that is held of it; null: it is not loaded. Its keys stand for
    // nothing from now on; forget_keys() frees their memory, a few at a time.
    std::unique_ptr<shelf> forget(sale::sale_id id);
    void forget_keys(sale::sale_id of, std::span<const sale::idempotency_key> keys);

    // A promise made before a restart, from the ledger (seq 0) or the line. One whose sale is not
    // loaded only teaches the order numbers.
    void restore(const sale::promise& p, sale::sequence seq);
    // An order that holds nothing any more, for its Idempotency-Key.
    void restore_key(const sale::promise& p);
    // An order that was lost. not_found: its sale is not loaded; conflict: fewer units are free.
    result<void> retake(const sale::promise& p);
    void skip_past(sale::order_no seen) { numbers_.skip_past(seen); }

    shelf* find(sale::sale_id id);
    std::vector<turnstile::promised> promised_to(sale::user_id buyer);

private:
    void bind(const sale::idempotency_key& key, sale::sale_id to);

    sale::order_numbers numbers_;
    boost::unordered_flat_map<sale::sale_id, std::unique_ptr<shelf>, spread> shelves_;
    // The sale that each Idempotency-Key was used at: one key is one intent of its buyer, whichever
    // sale it is sent to. A sale that is not loaded counts as none.
    split_map<sale::idempotency_key, sale::sale_id> used_at_;
};

}  // namespace floodgate::gate
