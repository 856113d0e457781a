// Reads every segment of a journal, judges every byte, and changes nothing.
//
// A crash can leave behind a part of one record at the very end. This torn tail was never announced
// as durable and is no fault. Anything else that is not as it was written is damage. Recovery
// refuses to start on damage; inspect lists it.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "journal/format.hpp"
#include "journal/journal.hpp"
#include "sale/promise.hpp"
#include "store/files/file_system.hpp"

namespace floodgate::journal {

// Is called with what is sound, in order: all sound promises, but segments and records only up to
// the first damage.
class survey_visitor {
public:
    virtual ~survey_visitor() = default;
    virtual void segment(const segment_header&) {}
    virtual void record(std::uint64_t /*offset*/, const record_header&) {}
    virtual void promise(sale::sequence, const sale::promise&) {}
};

struct torn_tail {
    std::uint64_t offset;
    std::uint64_t bytes;
};

struct found_record {
    std::uint64_t offset;
    record_header header;
};

struct survey {
    std::vector<std::string> damage;  // one sentence each, with file and offset
    sale::sequence first;            // the first promise the oldest segment may hold; 0: no segment
    sale::sequence next{1};          // the promise that would come next
    std::uint32_t previous_crc = 0;  // of the last sound record
    std::uint64_t journal = 0;       // its id; 0: no segment carries one

    // Of the newest segment:
    segment_header newest{};
    std::uint64_t end = 0;  // after the last sound record
    std::optional<found_record> last_record;
    std::optional<torn_tail> torn;
};

// Whether files are synced before they are read, because bytes that are only in the cache must not
// be taken for bytes on disk. inspect changes nothing, so it does not sync.
enum class sync_first { no = 1, yes };

// Why the journal that was found cannot belong to the ledger with this expectation; empty when it
// may. Whether the journal ends too early is for the caller to check.
std::optional<std::string> mismatch(const survey& found, const std::string& directory,
                                    const expectation& of);

survey survey_segments(store::file_system& files, const std::string& directory, sync_first how,
                       survey_visitor& visitor);

}  // namespace floodgate::journal
