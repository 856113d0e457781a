// What has been appended and not yet written: promises encoded side by side, ready to be a record.
//
// Two batches change places: one fills while the other is written. A batch that is full is put
// aside for the next commit and a further one begun, so only overload allocates.

#pragma once

#include <mutex>
#include <vector>

#include "journal/format.hpp"
#include "sale/promise.hpp"

namespace floodgate::journal {

struct batch {
    sale::sequence first;
    std::uint32_t count = 0;
    std::size_t used = 0;          // header included
    std::vector<std::byte> bytes;  // room for the header, then the entries
};

class pending {
public:
    // `record_bytes` bounds a batch; `last` is the last promise already in the journal.
    pending(std::size_t record_bytes, sale::sequence last);

    // One caller at a time.
    sale::sequence append(const sale::promise& p);

    // Everything appended so far, oldest first, into `out`; what is in `out` is used again.
    void take(std::vector<batch>& out);

    // From now on nothing is kept: the journal has failed and memory must not fill.
    void discard();

private:
    batch fresh();

    const std::size_t batch_bytes_;
    std::mutex mutex_;
    sale::sequence last_;
    bool discarding_ = false;
    std::vector<batch> idle_;  // before filling_, which fresh() makes
    batch filling_;
    std::vector<batch> full_;
};

}  // namespace floodgate::journal
