// The file port: exactly what the journal needs from a disk, and nothing else.
//
// posix_files is the real one. simulated_files is its twin for tests: it distinguishes what is on
// disk from what is only in the cache, loses power on request and fails where it is told to.
//
// Every error is an errno value in boost's generic category. Nothing here retries: after a failed
// sync the kernel may drop the data and report success the next time.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"

namespace floodgate::store {

// An open file, closed by its destructor. Different threads may use it at the same time.
class file {
public:
    virtual ~file() = default;

    virtual result<std::uint64_t> size() const = 0;
    // How many bytes were read: fewer than asked for only at the end of the file.
    virtual result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> into) const = 0;
    // All of them or an error; after an error any part of them may have been written.
    virtual result<void> write_at(std::uint64_t offset, byte_view bytes) = 0;
    // The contents survive a crash (fdatasync).
    virtual result<void> sync() = 0;
    // The contents and everything about the file but its name survive a crash (fsync).
    virtual result<void> sync_all() = 0;
};

// The lock is held as long as this object lives, and ends with the process.
class directory_lock {
public:
    virtual ~directory_lock() = default;
};

class file_system {
public:
    virtual ~file_system() = default;

    // A file of this size in which every byte has been written as zero and synced, so that a later
    // sync has no blocks to allocate. Replaces what was there. Its name is not synced.
    virtual result<std::unique_ptr<file>> create(const std::string& path, std::uint64_t bytes) = 0;
    virtual result<std::unique_ptr<file>> open(const std::string& path) = 0;
    // For a file that may be read only; syncing it is allowed.
    virtual result<std::unique_ptr<file>> open_to_read(const std::string& path) = 0;

    // These change names, and names survive a crash only after sync_directory.
    virtual result<void> remove(const std::string& path) = 0;
    virtual result<void> rename(const std::string& from, const std::string& to) = 0;
    virtual result<void> make_directory(const std::string& path) = 0;  // fine if it is there
    virtual result<void> sync_directory(const std::string& path) = 0;

    // The names of the regular files in a directory, sorted.
    virtual result<std::vector<std::string>> list(const std::string& directory) = 0;

    // EWOULDBLOCK when another process, or another lock in this one, holds it. Also on a file
    // system that is read only.
    virtual result<std::unique_ptr<directory_lock>> lock(const std::string& directory) = 0;
};

}  // namespace floodgate::store
