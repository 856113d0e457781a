// Reads durable promises back, in order. It suits the clerk, which goes on where its last read
// ended: such a read needs no search. Any other place is found through the index.

#pragma once

#include <mutex>
#include <vector>

#include "journal/segment_index.hpp"
#include "journal/segment_maker.hpp"
#include "sale/promise.hpp"

namespace floodgate::journal {

class reader {
public:
    reader(store::file_system& files, const segment_maker& maker, const segment_index& index)
        : files_(files), maker_(maker), index_(index) {}

    // Puts the promises after `after` and up to `durable`, at most `max`, into `out`, which is
    // cleared first. Errors: not_found, the segment that held them was deleted; corrupt, a record
    // is not as it was written; store_unavailable, the disk cannot be read.
    struct range {
        sale::sequence after;
        sale::sequence durable;
        std::size_t max;
    };
    result<void> read(const range& wanted, std::vector<sale::promise>& out);

private:
    bool holds(sale::sequence number) const;
    result<void> seek(sale::sequence number);
    result<void> open(sale::sequence segment);
    result<void> load_next();
    result<void> skip_to(sale::sequence number);
    result<void> take_entry(std::vector<sale::promise>& out);
    result<void> report_damage() const;

    store::file_system& files_;
    const segment_maker& maker_;
    const segment_index& index_;

    std::mutex mutex_;
    std::unique_ptr<store::file> file_;
    sale::sequence segment_;        // the open one
    std::uint64_t offset_ = 0;      // of the next record in it
    record_header record_;          // the one in memory; count 0: none
    std::vector<std::byte> bytes_;  // that record
    sale::sequence next_;           // the next entry to take
    std::size_t at_ = 0;            // where in bytes_ it begins
};

}  // namespace floodgate::journal
