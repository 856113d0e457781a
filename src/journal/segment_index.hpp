// Where to begin looking for a promise: the segments, and in each a bounded number of marks.
//
// Shared by the writer, which adds, the reader, which asks, and the caretaker, which drops. Every
// call is short.

#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "sale/ids.hpp"

namespace floodgate::journal {

struct place {
    sale::sequence segment;  // by its first promise
    std::uint64_t offset;    // where a record begins
    sale::sequence next;     // the first promise of that record
};

class segment_index {
public:
    void add_segment(sale::sequence first, std::uint64_t bytes);
    // A record of the newest segment. Only one in so many is remembered.
    void add_record(std::uint64_t offset, sale::sequence first);

    // The nearest known place at or before this promise; nothing when it lies before all of them.
    std::optional<place> find(sale::sequence wanted) const;
    bool has_segment(sale::sequence first) const;

    // The oldest segment, if everything in it is at or below `position` and it is not the newest.
    std::optional<sale::sequence> oldest_below(sale::sequence position) const;
    void drop(sale::sequence first);

    std::size_t segments() const;
    std::uint64_t segments_begun() const;  // dropped ones included

private:
    struct segment {
        std::uint64_t spacing;  // bytes between marks at least
        std::uint64_t next_mark = 0;
        std::vector<place> marks;
    };

    mutable std::mutex mutex_;
    std::map<sale::sequence, segment> segments_;
    std::uint64_t begun_ = 0;
};

}  // namespace floodgate::journal
