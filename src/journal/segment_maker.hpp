// Begins new segments, from a spare made ahead of time when there is one.
//
// A segment gets its name only after its header is on disk, and no record is written to it before
// its name is on disk. So a file that is named like a segment and has no sound header is damaged.

#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "journal/format.hpp"
#include "store/files/file_system.hpp"

namespace floodgate::journal {

// Whether the process or the machine has too many files open. This may pass by itself.
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

    // Makes the spare, unless there is one or one is just being taken. Takes long. For one thread,
    // the caretaker.
    result<void> prepare_spare();

    // The next segment, ready for records after its header. If the spare is not ready, this makes a
    // file itself. If the process has no file descriptor left for that, it waits for one:
    // descriptors become free when connections end, while a journal that gave up would never come
    // back. For the one thread that writes.
    struct begun {
        std::unique_ptr<store::file> file;
        segment_header header;
    };
    result<begun> begin(sale::sequence first, std::uint32_t previous_crc);

    // Takes over the id of an existing journal. To be called before the first segment is begun.
    void adopt(std::uint64_t journal) { journal_ = journal; }
    std::uint64_t journal() const { return journal_; }

    const std::string& directory() const { return directory_; }
    std::string path_of(std::string_view name) const {
        return directory_ + "/" + std::string(name);
    }

private:
    // A file full of zeros, and its name until it becomes a segment.
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
    std::mutex mutex_;  // guards only the members below; never held while a file is made
    std::unique_ptr<store::file> spare_;
    // True from before the spare is made until it has a segment's name. Another spare made
    // meanwhile would empty the file that the writer has just taken.
    bool spare_name_in_use_ = false;
};

}  // namespace floodgate::journal
