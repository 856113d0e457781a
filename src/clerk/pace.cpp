#include "clerk/pace.hpp"

#include "base/backoff.hpp"

namespace floodgate::clerk {

priority priority_for(const workload& w, const options& o) {
    if (w.oldest_age > o.starved || w.backlog > o.backlog_max / 2) return priority::normal;
    const bool caught_up = w.backlog <= o.batch_max;
    return caught_up ? priority::low : w.current;
}

bool pressing(bool was, const workload& w, const options& o) {
    if (w.oldest_age > o.patience || w.backlog > o.backlog_max / 2) return true;
    const bool caught_up = w.backlog <= o.batch_max;
    return was && !caught_up;
}

bool rush_sense::look(std::uint64_t line_end, moment now) {
    constexpr auto least = std::chrono::milliseconds(10);
    if (seen_at_ != moment{}) {
        const std::chrono::duration<double> passed = now - seen_at_;
        if (passed < least) return rush_;
        const auto came = static_cast<double>(line_end - seen_);
        rush_ = came > passed.count() * static_cast<double>(rush_per_s_);
    }
    seen_ = line_end;
    seen_at_ = now;
    return rush_;
}

milliseconds retry_after(std::uint64_t failures, const options& o) {
    return backoff{o.retry_first, o.retry_last}.after(failures);
}

}  // namespace floodgate::clerk
