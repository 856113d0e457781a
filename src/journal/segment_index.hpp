// Where to begin looking for a promise: the segments, and in each a bounded number of marks.
//
// The writer adds segments and records, the reader looks them up, the caretaker drops segments. Any
// thread; every call is short.

#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "sale/ids.hpp"

namespace floodgate::journal {

struct place {
    sale::sequence segment;  // named by its first promise
    std::uint64_t offset;    // where a record begins
    sale::sequence next;     // the first promise of that record
};

class segment_index {
public:
    void add_segment(sale::sequence first, std::uint64_t bytes);
    // Adds a record of the newest segment. Only some are remembered, at least `spacing` bytes
    // apart.
    void add_record(std::uint64_t offset, sale::sequence first);

    // The nearest known place at or before this promise; empty when it lies before all of them.
    std::optional<place> find(sale::sequence wanted) const;

    // The oldest segment, if everything in it is at or below `position` and it is not the newest.
    std::optional<sale::sequence> oldest_below(sale::sequence position) const;
    void drop(sale::sequence first);

    std::size_t segments() const;
    std::uint64_t segments_begun() const;  // dropped ones included

private:
    struct segment {
        std::uint64_t spacing;  // the least number of bytes between two marks
        std::uint64_t next_mark = 0;
        std::vector<place> marks;
    };

    mutable std::mutex mutex_;
    std::map<sale::sequence, segment> segments_;
    std::uint64_t begun_ = 0;
};

}  // namespace floodgate::journal
