// Where the clerk enters promises. Narrow, so that its tests need no SQL.

#pragma once

#include <span>

#include "base/result.hpp"
#include "ledger/letter_book.hpp"
#include "ledger/order_book.hpp"
#include "sale/promise_source.hpp"

namespace floodgate::clerk {

class order_sink {
public:
    virtual ~order_sink() = default;
    // All of the batch and the position of its last promise, or nothing: see ledger::order_book.
    virtual result<ledger::entry_report> enter(std::span<const sale::promise> batch,
                                               sale::sequence last) = 0;
    // The promise goes to the letters instead, and the position to `last`: see ledger::letter_book.
    virtual result<void> put_aside(const sale::promise& p, sale::sequence last,
                                   const ledger::setback& why) = 0;
    // Whether the book can be written at all.
    virtual result<void> probe() = 0;
    virtual result<sale::order> find(sale::order_no no) = 0;  // not_found
    // Whether others wait to write until what is being entered is in. Any thread.
    virtual bool holds_others_up() { return false; }
};

}  // namespace floodgate::clerk
