// Where promises come from, in order: the journal, or a queue.

#pragma once

#include <vector>

#include "base/result.hpp"
#include "sale/promise.hpp"

namespace floodgate::sale {

class promise_source {
public:
    virtual ~promise_source() = default;
    // Puts the durable promises after `after` into `out`, which is cleared first: at most `max`, in
    // order and without gaps. Errors: corrupt when they can never be read, store_unavailable when
    // a later try may succeed.
    virtual result<void> read(sequence after, std::size_t max, std::vector<promise>& out) = 0;
    // Promises up to `position` will not be read again.
    virtual void entered(sequence position) = 0;
    virtual sequence durable() const = 0;
};

}  // namespace floodgate::sale
