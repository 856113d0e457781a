// Reads every segment of a journal, judges every byte, and changes nothing.
//
// What a crash can leave behind is one record at the very end, in part: a torn tail, which was
// never announced and is no fault. Everything else that is not as it was written is damage.
// Recovery refuses to start on damage; inspect lists it.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "journal/format.hpp"
#include "journal/journal.hpp"
#include "sale/promise.hpp"
#include "store/files/file_system.hpp"

namespace floodgate::journal {

// Sees what is sound, in order: promises to the end, segments and records up to the first damage.
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

// Whether files are synced before they are read: what is only in the cache must not be taken for
// what is on disk. inspect, which changes nothing, does without.
enum class sync_first { no = 1, yes };

// Why the ledger that expects this cannot belong to what was found; nothing when it may. That the
// journal ends too early is for the caller to say.
std::optional<std::string> mismatch(const survey& found, const std::string& directory,
                                    const expectation& of);

survey survey_segments(store::file_system& files, const std::string& directory, sync_first how,
                       survey_visitor& visitor);

}  // namespace floodgate::journal
