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

class segment_maker {
public:
    segment_maker(store::file_system& files, std::string directory, std::uint64_t segment_bytes)
        : files_(files), directory_(std::move(directory)), segment_bytes_(segment_bytes) {}

    // Makes the spare unless it is there or just being taken. Takes long; for one thread that has
    // the time.
    result<void> prepare_spare();

    // The next segment, ready to be written to after its header. When the spare is not ready it
    // makes a file itself. For the one thread that writes.
    struct begun {
        std::unique_ptr<store::file> file;
        segment_header header;
    };
    result<begun> begin(sale::sequence first, std::uint32_t previous_crc);

    const std::string& directory() const { return directory_; }
    std::string path_of(std::string_view name) const {
        return directory_ + "/" + std::string(name);
    }

private:
    std::unique_ptr<store::file> take_spare();
    void free_spare_name();

    store::file_system& files_;
    const std::string directory_;
    const std::uint64_t segment_bytes_;
    std::mutex mutex_;  // guards what follows only: never held while a file is made
    std::unique_ptr<store::file> spare_;
    // From before the spare is made until it has a segment's name: making another meanwhile would
    // empty the file the writer has just taken.
    bool spare_name_in_use_ = false;
};

}  // namespace floodgate::journal
