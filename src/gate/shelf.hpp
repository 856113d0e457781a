// One sale behind the gate: its terms, how much is taken, and by whom.
//
// Pure and deterministic: no clock, no lock, no I/O. `stock = free + taken` at all times. The total
// stock comes from the ledger; the taken units are counted here. Nothing ever overwrites a count,
// so loading a sale again in the middle of a rush is harmless.

#pragma once

#include <optional>
#include <vector>

#include "gate/cool_downs.hpp"
#include "gate/split_map.hpp"
#include "gate/turnstile.hpp"
#include "sale/promise.hpp"

namespace floodgate::gate {

class shelf {
public:
    explicit shelf(const sale::sale& terms);

    // Takes over terms, window, state and total stock, as turnstile::warm_up says. False, with
    // nothing changed, if the total would sink below the units taken.
    [[nodiscard]] bool change_terms(const sale::sale& terms);

    // What to answer to this attempt now, by the order of precedence in sale::answer. `accepted`
    // means that put_down() may follow; judge() itself changes nothing.
    sale::verdict judge(const sale::attempt& a, instant now) const;

    // Sets the units aside: for a new promise that judge() accepted, and for every promise that is
    // restored at start. `seq` is its place in the line (0: it is in the ledger).
    void put_down(const sale::promise& p, sale::sequence seq);

    // Puts an order's units back, or takes them out of the stock if they were withdrawn: see
    // turnstile::returned. False: the buyer does not hold this order (any more).
    bool release(sale::user_id buyer, sale::order_no order, std::int64_t withdrawn_at = 0);

    // Begins a cool-down. Cool-downs that are over are forgotten by and by.
    void cool(const cooling_buyer& b) { cooling_.begin(b); }
    void forget_cooled(instant now) { cooling_.sweep(now); }

    // Sets aside the units of an order that the gate had lost. Does nothing if it is held. False:
    // fewer units are free.
    [[nodiscard]] bool retake(const sale::promise& p);

    // Remembers the key of an order that was closed before a restart, without taking units.
    void restore_key(const sale::promise& p);

    // The buyer's orders, newest first.
    void orders_of(sale::user_id buyer, std::vector<turnstile::promised>& out);
    // All orders, in order of number.
    std::vector<held_unit> held();
    // All Idempotency-Keys, in no particular order.
    std::vector<sale::idempotency_key> keys() const;

    // The place of the latest promise of this sale: "sold out" and "already ordered" rest on it.
    sale::sequence rests_on() const { return rests_on_; }
    const sale::sale& terms() const { return terms_; }
    standing look() const;

private:
    // What one buyer holds. Orders before the latest are chained in `earlier_`; only sales with a
    // limit above one have any.
    struct holding {
        sale::order_no latest;
        std::uint32_t latest_quantity = 0;
        std::uint32_t units = 0;
    };
    struct link {
        sale::order_no order;
        std::uint32_t quantity = 0;
    };
    struct keyed {
        sale::order_no order;
        std::uint32_t quantity = 0;
    };

    std::optional<sale::answer> refusal_by_terms(instant now) const;
    std::int64_t taken() const { return given_ - returned_; }
    void unlink(holding& h, sale::order_no order, std::uint32_t& quantity);
    void withdraw(std::uint32_t quantity, std::int64_t at);

    sale::sale terms_;
    // The latest revision at which the ledger withdrew units that were released here. Terms of the
    // ledger that are older would bring these units back.
    std::int64_t withdrawn_at_ = 0;
    std::int64_t given_ = 0, returned_ = 0;  // units
    std::uint32_t largest_ = 0;
    sale::sequence rests_on_{};
    split_map<sale::user_id, holding> buyers_;
    split_map<sale::order_no, link> earlier_;
    split_map<sale::idempotency_key, keyed> keys_;
    cool_downs cooling_;
};

}  // namespace floodgate::gate
