#include "queue/line_order.hpp"

#include <algorithm>

namespace floodgate::queue {

std::size_t fingerprint_of(std::string_view bytes) { return std::hash<std::string_view>{}(bytes); }

void line_order::begin(sale::line_place entered) {
    epoch_ = entered.epoch;
    start_ = end_ = entered.number;
    held_.clear();
}

entry_verdict line_order::judge(const line_entry& e) {
    const std::uint64_t last = e.last.number;
    if (e.last.epoch != epoch_ || e.promises == 0 || e.promises > last)
        return entry_verdict::foreign;
    if (last <= end_) {
        if (const auto same = find(e.last))
            return held_[*same].fingerprint == e.fingerprint ? entry_verdict::known
                                                             : entry_verdict::foreign;
        return last <= start_ ? entry_verdict::before_start : entry_verdict::passed;
    }
    const std::uint64_t before = last - e.promises;
    if (before > end_) return entry_verdict::gap;
    // Only the first entry may begin before the end: the ledger's position was in the middle of it.
    if (before < end_ && end_ != start_) return entry_verdict::foreign;
    end_ = last;
    held_.push_back(e);
    return entry_verdict::next;
}

void line_order::removed(std::size_t count) {
    count = std::min(count, held_.size());
    held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(count));
}

std::optional<std::size_t> line_order::find(sale::line_place last) const {
    const auto at = std::lower_bound(
        held_.begin(), held_.end(), last,
        [](const line_entry& e, const sale::line_place& place) { return e.last < place; });
    if (at == held_.end() || at->last != last) return std::nullopt;
    return static_cast<std::size_t>(at - held_.begin());
}

}  // namespace floodgate::queue
