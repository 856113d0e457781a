#include "clerk/pace.hpp"

#include <algorithm>

namespace floodgate::clerk {

priority priority_for(const workload& w, const options& o) {
    const bool pressing = w.oldest_age > o.patience || w.backlog > o.backlog_max / 2;
    if (pressing) return priority::normal;
    const bool caught_up = w.backlog <= o.batch_max;
    return caught_up ? priority::low : w.current;
}

milliseconds retry_after(std::uint64_t failures, const options& o) {
    milliseconds wait = o.retry_first;
    for (std::uint64_t i = 1; i < failures && wait < o.retry_last; ++i) wait *= 2;
    return std::min(wait, o.retry_last);
}

}  // namespace floodgate::clerk
