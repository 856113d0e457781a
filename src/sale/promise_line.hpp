// The durable line of promises, as the gate sees it: append now, durable a little later.
//
// In the embedded mode the journal is this line. Taking stock and appending are atomic, because
// one thread at a time does both, under the gate's lock.

#pragma once

#include <functional>

#include "sale/promise.hpp"

namespace floodgate::sale {

class promise_line {
public:
    virtual ~promise_line() = default;

    // Gives the promise its place in the line; it is not durable yet. One caller at a time.
    virtual sequence append(const promise& p) = 0;

    // Asks that everything appended so far becomes durable soon. Returns at once. Any thread.
    virtual void push() = 0;

    // Everything up to here survives a crash. Any thread.
    virtual sequence durable() const = 0;

    // How many promises the clerk has still to enter in the ledger. Any thread.
    virtual std::uint64_t backlog() const = 0;

    // Calls `told` after durable() has grown, on a thread of the line. To be set before the first
    // append. `told` must be quick and must not throw.
    virtual void on_durable(std::function<void()> told) = 0;
};

}  // namespace floodgate::sale
