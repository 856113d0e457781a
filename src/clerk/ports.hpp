// The two things the clerk stands between. Narrow, so that its tests need neither disk nor SQL.

#pragma once

#include <span>
#include <vector>

#include "base/result.hpp"
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
};

}  // namespace floodgate::clerk
