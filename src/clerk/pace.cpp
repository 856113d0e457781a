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

milliseconds entry_ceiling::wait(moment now) {
    const std::lock_guard lock(mutex_);
    if (free_at_ <= now) return milliseconds(0);
    return std::chrono::ceil<milliseconds>(free_at_ - now);
}

// What was not used in quiet times is not saved up: the database would get it all at once.
void entry_ceiling::note(std::uint64_t entered, moment now) {
    const std::lock_guard lock(mutex_);
    const auto cost = std::chrono::nanoseconds(static_cast<std::int64_t>(
        1e9 * static_cast<double>(entered) / static_cast<double>(per_s_)));
    free_at_ = std::max(free_at_, now) + std::chrono::duration_cast<moment::duration>(cost);
}

}  // namespace floodgate::clerk
