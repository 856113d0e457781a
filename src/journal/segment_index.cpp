#include "journal/segment_index.hpp"

#include <algorithm>
#include <cassert>

#include "journal/format.hpp"

namespace floodgate::journal {
namespace {

constexpr std::uint64_t marks_max = 512;  // in one segment: 12 KiB of memory

}  // namespace

void segment_index::add_segment(sale::sequence first, std::uint64_t bytes) {
    const std::scoped_lock held(mutex_);
    segment added{.spacing = bytes / marks_max, .next_mark = 0, .marks = {}};
    added.marks.push_back({first, segment_header_bytes, first});
    added.next_mark = segment_header_bytes + added.spacing;
    segments_.emplace(first, std::move(added));
    ++begun_;
}

void segment_index::add_record(std::uint64_t offset, sale::sequence first) {
    const std::scoped_lock held(mutex_);
    assert(!segments_.empty());
    auto& [name, newest] = *segments_.rbegin();
    if (offset < newest.next_mark || newest.marks.size() >= marks_max) return;
    newest.marks.push_back({name, offset, first});
    newest.next_mark = offset + newest.spacing;
}

std::optional<place> segment_index::find(sale::sequence wanted) const {
    const std::scoped_lock held(mutex_);
    auto after = segments_.upper_bound(wanted);
    if (after == segments_.begin()) return std::nullopt;
    const auto& marks = std::prev(after)->second.marks;
    const auto mark = std::ranges::upper_bound(marks, wanted, {}, &place::next);
    assert(mark != marks.begin());
    return *std::prev(mark);
}

std::optional<sale::sequence> segment_index::oldest_below(sale::sequence position) const {
    const std::scoped_lock held(mutex_);
    if (segments_.size() < 2) return std::nullopt;
    const auto oldest = segments_.begin();
    const sale::sequence second = std::next(oldest)->first;
    if (second.value > position.value + 1) return std::nullopt;
    return oldest->first;
}

void segment_index::drop(sale::sequence first) {
    const std::scoped_lock held(mutex_);
    segments_.erase(first);
}

std::size_t segment_index::segments() const {
    const std::scoped_lock held(mutex_);
    return segments_.size();
}

std::uint64_t segment_index::segments_begun() const {
    const std::scoped_lock held(mutex_);
    return begun_;
}

}  // namespace floodgate::journal
