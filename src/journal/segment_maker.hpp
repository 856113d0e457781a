// Begins new segments, from a spare made ahead of time when there is one.
//
// A segment gets its name only after its header is on disk, and nothing is written to it before its
// name is. So whatever is named like a segment has a sound header, or is damaged.

#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "journal/format.hpp"
#include "store/files/file_system.hpp"

namespace floodgate::journal {

// Whether this passes by itself: the process, or the machine, has too many files open.
bool out_of_descriptors(const boost::system::error_code& why);

class segment_maker {
public:
    // `journal` is the journal's id, which every segment carries.
    segment_maker(store::file_system& files, std::string directory, std::uint64_t segment_bytes,
                  std::uint64_t journal = 0)
        : files_(files),
          directory_(std::move(directory)),
          segment_bytes_(segment_bytes),
          journal_(journal) {}

    // Makes the spare unless it is there or just being taken. Takes long; for one thread that has
    // the time.
    result<void> prepare_spare();

    // The next segment, ready to be written to after its header. When the spare is not ready it
    // makes a file itself; when the process has no file descriptor left for that, it waits for one:
    // connections come and go, a journal that gave up would not come back. For the one thread that
    // writes.
    struct begun {
        std::unique_ptr<store::file> file;
        segment_header header;
    };
    result<begun> begin(sale::sequence first, std::uint32_t previous_crc);

    // Before the first segment is begun: the journal there has an id already.
    void adopt(std::uint64_t journal) { journal_ = journal; }
    std::uint64_t journal() const { return journal_; }

    const std::string& directory() const { return directory_; }
    std::string path_of(std::string_view name) const {
        return directory_ + "/" + std::string(name);
    }

private:
    // A file full of zeros, and the name it has so far.
    struct blank {
        std::unique_ptr<store::file> file;
        std::string_view name;
    };
    result<blank> take_blank();
    std::unique_ptr<store::file> take_spare();
    void free_spare_name();

    store::file_system& files_;
    const std::string directory_;
    const std::uint64_t segment_bytes_;
    std::uint64_t journal_;
    std::mutex mutex_;  // guards what follows only: never held while a file is made
    std::unique_ptr<store::file> spare_;
    // From before the spare is made until it has a segment's name: making another meanwhile would
    // empty the file the writer has just taken.
    bool spare_name_in_use_ = false;
};

}  // namespace floodgate::journal
