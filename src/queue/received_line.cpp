#include "queue/received_line.hpp"

#include <algorithm>

namespace floodgate::queue {

void received_line::begin(sale::sequence entered) {
    const std::lock_guard lock(mutex_);
    const sale::line_place at = sale::to_place(entered);
    order_.begin(at);
    promises_.clear();
    entered_ = durable_ = at.number;
    given_up_ = false;
}

result<void> received_line::read(sale::sequence after, std::size_t max,
                                 std::vector<sale::promise>& out) const {
    const std::lock_guard lock(mutex_);
    const sale::line_place at = sale::to_place(after);
    if (at.epoch != order_.end().epoch || at.number < entered_) return errc::corrupt;
    const std::size_t skip = at.number - entered_;
    if (skip >= promises_.size()) {
        if (given_up_) return errc::corrupt;
        return {};
    }
    const auto first = promises_.begin() + static_cast<std::ptrdiff_t>(skip);
    const std::size_t count = std::min(max, promises_.size() - skip);
    out.insert(out.end(), first, first + static_cast<std::ptrdiff_t>(count));
    return {};
}

void received_line::entered(sale::sequence position) {
    const std::lock_guard lock(mutex_);
    const sale::line_place at = sale::to_place(position);
    if (at.epoch != order_.end().epoch || at.number <= entered_) return;
    const std::size_t count = std::min<std::uint64_t>(at.number - entered_, promises_.size());
    promises_.erase(promises_.begin(), promises_.begin() + static_cast<std::ptrdiff_t>(count));
    entered_ += count;
}

sale::sequence received_line::durable() const {
    const std::lock_guard lock(mutex_);
    return sale::to_sequence({order_.end().epoch, durable_});
}

entry_verdict received_line::add(sale::line_place last, std::string_view body, std::uint64_t tag) {
    const auto promises = sale::decode_entry(body);
    if (!promises) return entry_verdict::unreadable;
    const std::lock_guard lock(mutex_);
    const std::uint64_t before = order_.end().number;
    const entry_verdict verdict = order_.judge({.last = last,
                                                .promises = promises->size(),
                                                .tag = tag,
                                                .fingerprint = fingerprint_of(body)});
    if (verdict != entry_verdict::next) return verdict;
    const auto fresh = static_cast<std::ptrdiff_t>(last.number - before);
    promises_.insert(promises_.end(), promises->end() - fresh, promises->end());
    durable_ = std::max(durable_, last.number);
    return verdict;
}

void received_line::saw(sale::line_place promised) {
    const std::lock_guard lock(mutex_);
    if (promised.epoch == order_.end().epoch) durable_ = std::max(durable_, promised.number);
}

void received_line::give_up() {
    const std::lock_guard lock(mutex_);
    given_up_ = true;
}

bool received_line::given_up() const {
    const std::lock_guard lock(mutex_);
    return given_up_;
}

std::size_t received_line::size() const {
    const std::lock_guard lock(mutex_);
    return promises_.size();
}

sale::line_place received_line::end() const {
    const std::lock_guard lock(mutex_);
    return order_.end();
}

sale::line_place received_line::ledger_has() const {
    const std::lock_guard lock(mutex_);
    return {order_.end().epoch, entered_};
}

std::vector<line_entry> received_line::to_remove(std::size_t max) const {
    const std::lock_guard lock(mutex_);
    std::vector<line_entry> out;
    for (const line_entry& e : order_.held()) {
        if (e.last.number > entered_ || out.size() == max) break;
        out.push_back(e);
    }
    return out;
}

void received_line::removed(std::size_t count) {
    const std::lock_guard lock(mutex_);
    order_.removed(count);
}

void received_line::forget_tags() {
    const std::lock_guard lock(mutex_);
    for (line_entry& e : order_.held()) e.tag = 0;
}

received_line::tagging received_line::tag(sale::line_place last, std::uint64_t tag) {
    const std::lock_guard lock(mutex_);
    const auto at = order_.find(last);
    std::deque<line_entry>& held = order_.held();
    if (!at || held[*at].tag != 0) return tagging::doubled;
    held[*at].tag = tag;
    return *at == 0 || held[*at - 1].tag != 0 ? tagging::in_order : tagging::out_of_order;
}

}  // namespace floodgate::queue
