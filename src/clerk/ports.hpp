// The two things the clerk stands between. Narrow, so that its tests need neither disk nor SQL.

#pragma once

#include <span>
#include <vector>

#include "base/result.hpp"
#include "ledger/letter_book.hpp"
#include "ledger/order_book.hpp"
#include "sale/promise.hpp"

namespace floodgate::clerk {

class promise_source {
public:
    virtual ~promise_source() = default;
    // The durable promises after `after`, in order and without gaps, at most `max`, into `out`.
    // corrupt: it can never be read; store_unavailable: perhaps later.
    virtual result<void> read(sale::sequence after, std::size_t max,
                              std::vector<sale::promise>& out) = 0;
    // Nothing up to `position` will be asked for again.
    virtual void entered(sale::sequence position) = 0;
    virtual sale::sequence durable() const = 0;
};

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
};

}  // namespace floodgate::clerk
