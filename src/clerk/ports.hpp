// The clerk's port to the ledger. It is narrow, so that the clerk's tests need no SQL.

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
    // Enters all of the batch and the position of its last promise, or nothing: ledger::order_book.
    virtual result<ledger::entry_report> enter(std::span<const sale::promise> batch,
                                               sale::sequence last) = 0;
    // Makes the promise a letter and moves the position to `last`: see ledger::letter_book.
    virtual result<void> put_aside(const sale::promise& p, sale::sequence last,
                                   const ledger::setback& why) = 0;
    // Whether the ledger can be written at all.
    virtual result<void> probe() = 0;
    virtual result<sale::order> find(sale::order_no no) = 0;  // not_found
    // Whether other writers wait for the batch that is being entered. Any thread.
    virtual bool holds_others_up() { return false; }
};

}  // namespace floodgate::clerk
