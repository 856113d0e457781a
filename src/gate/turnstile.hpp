// The port through which every attempt to buy goes, in both modes.
//
// embedded: gate/embedded_turnstile.hpp, in process; clustered: gate/redis_turnstile.hpp.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "sale/attempt.hpp"
#include "sale/catalogue.hpp"
#include "sale/promise.hpp"

namespace floodgate::gate {

// The way of one event loop through the gate. Used by one thread only.
class lane {
public:
    virtual ~lane() = default;

    // Has the attempts judged, in order. In a cluster, attempts with an Idempotency-Key may come
    // after those without, but attempts under one key stay in order. Some verdicts can be collected
    // at once. Others have to wait until the lane's `wake` is called: an acceptance whose promise
    // is not on disk yet, a "sold out" that rests on such a promise, or a verdict behind one of
    // these. Every attempt gets exactly one verdict.
    virtual void submit(std::span<const sale::attempt> attempts, instant now) = 0;

    // Appends the verdicts that may be told now to `out`, in no particular order.
    virtual void collect(std::vector<sale::verdict>& out) = 0;

    // A descriptor that the loop which owns the lane waits for, besides `wake`: when it is
    // readable, collect() has something to do. -1: there is none. Stays the same for the lane's
    // life.
    virtual int ready_fd() const { return -1; }
};

// A sale as the gate sees it.
struct standing {
    std::int64_t stock = 0;  // in total
    std::int64_t taken = 0;  // promised, unpaid, paid or refunding
    std::uint64_t buyers = 0;
    std::uint64_t bytes = 0;  // memory held for the sale's buyers
    // Counted since the sale was loaded and only growing, so two looks show what moved in between.
    std::int64_t given = 0, returned = 0;  // units; taken = given - returned
    std::uint32_t largest = 0;             // units in one promise
};

// An order the gate holds units for.
struct held_unit {
    sale::user_id buyer;
    sale::order_no order;
    std::uint32_t quantity = 1;

    friend bool operator==(const held_unit&, const held_unit&) = default;
};

// A buyer who gave units back of their own accord (sale::is_given_up) gets no unit of that sale
// from `from` until `until`. No cool-down if `until` is not later.
struct cool_down {
    instant from{}, until{};

    bool lasts() const { return until > from; }
};

struct cooling_buyer {
    sale::user_id buyer;
    instant until;  // when they may buy again
};

class turnstile {
public:
    virtual ~turnstile() = default;

    // `wake` is called, on any thread, when there may be something to collect.
    virtual std::unique_ptr<lane> open_lane(std::function<void()> wake) = 0;

    // Warm-up: loads the sale, or takes over its new terms, window, state and total stock. Taken
    // units stay taken, so a repeated warm-up is harmless, also in the middle of a rush. Ignored if
    // the gate has terms of a later revision, or has heard of a later withdrawal. Terms of revision
    // 0, which the ledger does not have, are taken over; after a withdrawal they never raise the
    // total stock. errc::conflict: the total would sink below the units taken; nothing was changed.
    virtual result<void> warm_up(const sale::sale& s) = 0;

    // Forgets a sale that is over and settled, with everything the gate holds for it. `s` has the
    // terms by which the caller found it to be over; errc::conflict: the gate has later terms and
    // keeps the sale. Does nothing if the sale is not loaded.
    virtual result<void> forget(const sale::sale& s) = 0;

    // Gives back the units of an order that was closed, refunded or failed. Others may buy them at
    // once, the buyer only after `wait`. The cool-down begins whether or not the gate held the
    // order; an earlier one that lasts longer stays. A second release of one order is harmless.
    //
    // Units that the ledger has withdrawn leave the total stock in the same step, so they are never
    // on sale. A gate whose terms are not older than the withdrawal has the smaller total already.
    struct returned {
        sale::sale_id sale;
        sale::user_id buyer;
        sale::order_no order;
        cool_down wait{};
        // The sale's revision in the ledger since it withdrew the units. 0: it did not.
        std::int64_t withdrawn_at = 0;
    };
    virtual void release(const returned& r) = 0;
    void release(sale::sale_id sale, sale::user_id buyer, sale::order_no order) {
        release(returned{sale, buyer, order});
    }
    // The same for many orders: in a cluster, one round trip for many of them.
    virtual void release_all(std::span<const returned> orders) {
        for (const returned& r : orders) release(r);
    }

    // Empty if the sale is not loaded or the gate cannot be asked now.
    virtual std::optional<standing> look_up(sale::sale_id sale) = 0;
    // The same for several sales, in their order: in a cluster, one round trip.
    virtual std::vector<std::optional<standing>> look_up_all(std::span<const sale::sale_id> ids) {
        std::vector<std::optional<standing>> out;
        for (const sale::sale_id id : ids) out.push_back(look_up(id));
        return out;
    }

    // The orders promised to this buyer in loaded sales, newest first. Durable ones only: a buyer
    // must not be told of a promise that a crash could still take back.
    struct promised {
        sale::sale_id sale;
        sale::order_no order;
        std::uint32_t quantity = 1;
    };
    virtual std::vector<promised> promised_to(sale::user_id buyer) = 0;

    // The rest is for a reconciliation, after something went wrong.

    // Everything the gate holds for a sale, in order of number, durable or not. Slow, and attempts
    // wait meanwhile.
    virtual std::vector<held_unit> held_in(sale::sale_id sale) = 0;
    // Sets aside units that the gate has lost. Does nothing if it holds the order.
    // not_found: the sale is not loaded; conflict: fewer units are free.
    virtual result<void> retake(const sale::promise& p) = 0;
};

}  // namespace floodgate::gate
