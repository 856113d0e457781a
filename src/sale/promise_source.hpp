// Where promises come from, in order: the journal, or a queue.

#pragma once

#include <vector>

#include "base/result.hpp"
#include "sale/promise.hpp"

namespace floodgate::sale {

class promise_source {
public:
    virtual ~promise_source() = default;
    // The durable promises after `after`, in order and without gaps, at most `max`, into `out`,
    // which is cleared first. corrupt: it can never be read; store_unavailable: perhaps later.
    virtual result<void> read(sequence after, std::size_t max, std::vector<promise>& out) = 0;
    // Nothing up to `position` will be asked for again.
    virtual void entered(sequence position) = 0;
    virtual sequence durable() const = 0;
};

}  // namespace floodgate::sale
