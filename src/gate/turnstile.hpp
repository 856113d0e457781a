// The port through which every attempt to buy goes, whatever stands behind it.
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

// One event loop's way through the gate. Used by one thread only.
class lane {
public:
    virtual ~lane() = default;

    // Has the attempts judged, in order; where the gate is far away, those with an Idempotency-Key
    // may come after those without, but attempts under one key stay in order. Verdicts that rest on
    // nothing undecided can be collected at once; the others (a promise that is not on disk yet, a
    // "sold out" that rests on one) when the lane's `wake` has been called. Every attempt gets
    // exactly one verdict.
    virtual void submit(std::span<const sale::attempt> attempts, instant now) = 0;

    // Hands over the verdicts that may be told now, appended to `out`, in no particular order.
    virtual void collect(std::vector<sale::verdict>& out) = 0;

    // A descriptor that is readable when collect() has something to do, besides `wake`: the loop
    // that owns the lane waits for it. -1: there is none. Stays the same for the lane's life.
    virtual int ready_fd() const { return -1; }
};

// A sale as the gate sees it.
struct standing {
    std::int64_t stock = 0;  // in total
    std::int64_t taken = 0;  // promised, unpaid, paid or refunding
    std::uint64_t buyers = 0;
    std::uint64_t bytes = 0;  // memory held for the sale's buyers
    // Since the sale was loaded, only growing, so that two looks show what moved in between.
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

// What a return costs a buyer who gave units back of their own accord (sale::is_given_up): from the
// return until `until` the buyer gets no unit of that sale. Nothing when `until` is not later.
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

    // `wake` is called, from any thread, when there may be something to collect.
    virtual std::unique_ptr<lane> open_lane(std::function<void()> wake) = 0;

    // Warm-up: loads the sale, or takes over its new terms, window, state and total stock. What was
    // taken stays taken, so doing it again is harmless, also in the middle of a rush.
    // errc::conflict: the new total would be less than what is taken; nothing was changed.
    virtual result<void> warm_up(const sale::sale& s) = 0;

    // The sale is over and settled: the gate lets go of it and of everything it holds for it. These
    // are the terms it was judged by; errc::conflict: the gate has later ones, and keeps the sale.
    // Nothing happens when it is not loaded.
    virtual result<void> forget(const sale::sale& s) = 0;

    // Units come back: the order was closed, refunded or failed. Others may buy them at once, the
    // buyer after `wait`, which holds whether or not the order was held. A cool-down that lasts
    // longer stays. Doing it twice for one order is harmless.
    struct returned {
        sale::sale_id sale;
        sale::user_id buyer;
        sale::order_no order;
        cool_down wait{};
    };
    virtual void release(const returned& r) = 0;
    void release(sale::sale_id sale, sale::user_id buyer, sale::order_no order) {
        release(returned{sale, buyer, order});
    }
    // The same for many: one journey where the gate is far away.
    virtual void release_all(std::span<const returned> orders) {
        for (const returned& r : orders) release(r);
    }

    // Nothing: the sale is not loaded, or the gate cannot be asked now.
    virtual std::optional<standing> look_up(sale::sale_id sale) = 0;
    // The same for several, in their order: one journey where the gate is far away.
    virtual std::vector<std::optional<standing>> look_up_all(std::span<const sale::sale_id> ids) {
        std::vector<std::optional<standing>> out;
        for (const sale::sale_id id : ids) out.push_back(look_up(id));
        return out;
    }

    // The orders promised to this buyer in loaded sales, newest first: durable ones only, since
    // nobody may be told of a promise that a crash could still take back.
    struct promised {
        sale::sale_id sale;
        sale::order_no order;
        std::uint32_t quantity = 1;
    };
    virtual std::vector<promised> promised_to(sale::user_id buyer) = 0;

    // For a reconciliation, after something went wrong.

    // Everything the gate holds for a sale, in order of number; durable or not. Slow: other
    // attempts wait for it.
    virtual std::vector<held_unit> held_in(sale::sale_id sale) = 0;
    // Sets aside units that the gate has lost. Nothing happens when it holds the order.
    // not_found: the sale is not loaded; conflict: fewer units are free.
    virtual result<void> retake(const sale::promise& p) = 0;
};

}  // namespace floodgate::gate
