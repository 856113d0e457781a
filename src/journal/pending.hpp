// The promises that are appended and not yet written, encoded side by side as a record needs them.
//
// Two batches take turns: one fills while the other is written. A full batch is put aside for the
// next commit and another one is begun, so memory is allocated only under overload.

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

    // Moves everything appended so far into `out`, oldest first. The memory of the batches that
    // were in `out` is used again.
    void take(std::vector<batch>& out);

    // From now on nothing is kept, because the journal has failed and memory must not fill up.
    void discard();

private:
    batch fresh();

    const std::size_t batch_bytes_;
    std::mutex mutex_;
    sale::sequence last_;
    bool discarding_ = false;
    std::vector<batch> idle_;  // declared before filling_, which fresh() makes from it
    batch filling_;
    std::vector<batch> full_;
};

}  // namespace floodgate::journal
