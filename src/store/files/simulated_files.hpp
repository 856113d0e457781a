// A disk in memory that can lose power: the twin of posix_files for tests.
//
// It distinguishes what is on disk from what is only in the cache, by sectors of 512 bytes. When
// the power fails, every unsynced write of a sector may have reached the disk wholly, partly or not
// at all, independently of the writes before and after it. The same holds for unsynced names.
//
// A copy is a snapshot: it shares nothing with the original, and open files belong to neither.

#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "store/files/choices.hpp"
#include "store/files/file_system.hpp"

namespace floodgate::store {

class simulated_files final : public file_system {
public:
    static constexpr std::size_t sector_bytes = 512;
    enum class operation {
        create = 1,
        write,
        sync,
        rename,
        remove,
        make_directory,
        sync_directory
    };

    simulated_files() = default;
    simulated_files(const simulated_files& other);
    simulated_files& operator=(const simulated_files&) = delete;

    // file_system
    result<std::unique_ptr<file>> create(const std::string& path, std::uint64_t bytes) override;
    result<std::unique_ptr<file>> open(const std::string& path) override;
    result<std::unique_ptr<file>> open_to_read(const std::string& path) override {
        return open(path);
    }
    result<void> remove(const std::string& path) override;
    result<void> rename(const std::string& from, const std::string& to) override;
    result<void> make_directory(const std::string& path) override;
    result<void> sync_directory(const std::string& path) override;
    result<std::vector<std::string>> list(const std::string& directory) override;
    result<std::unique_ptr<directory_lock>> lock(const std::string& directory) override;

    // The nth operation of this kind from now (1 = the next) fails with `error`; 0 means EIO. As on
    // Linux, a failed sync drops the unwritten data, although the cache still shows it.
    void fail(operation what, std::uint64_t nth, int error = 0);
    // Files may grow by this many bytes, then ENOSPC.
    void limit_space(std::uint64_t bytes);
    // The nth operation from now is caught half-way by a power cut; from then on all fail with EIO.
    void cut_power_at(std::uint64_t nth);
    // Damages what is on disk and in the cache.
    void flip_bit(const std::string& path, std::uint64_t bit);
    void put_file(const std::string& path, byte_view contents);      // on disk, name and all
    std::vector<std::byte> contents(const std::string& path) const;  // as the cache has it

    // Operations so far: create, write, sync, rename, remove, make_directory, sync_directory.
    std::uint64_t operations() const;
    std::uint64_t operations(operation what) const;

    // The machine stops and starts again. Open files and locks are gone.
    void crash(const chooser& choose);
    // Only the process stops; the cache stays.
    void kill();

private:
    friend class simulated_file;
    friend class simulated_lock;

    using file_number = std::uint64_t;

    // A write, cut at sector borders, that no sync has covered yet.
    struct unsynced_write {
        std::uint64_t offset;
        std::vector<std::byte> bytes;
    };
    struct inode {
        std::vector<std::byte> disk;
        std::vector<std::byte> cache;
        std::vector<unsynced_write> unsynced;
        bool half_made = false;  // the power failed while it was being created
    };
    // A change of names that no sync_directory has covered yet.
    struct unsynced_name {
        operation what;
        std::string path;
        std::string to;        // rename
        file_number file = 0;  // create, rename
    };
    struct name_table {
        std::map<std::string, file_number> files;
        std::set<std::string> directories;
        void apply(const unsynced_name& change);
    };
    struct planned_failure {
        std::uint64_t at;  // counted by kind
        int error;
    };
    enum class outcome { passes = 1, cut };

    result<outcome> begin(operation what);
    void change_names(const unsynced_name& change);
    static void write_cached(inode& into, std::uint64_t offset, byte_view bytes);
    static void settle_write(inode& of, const unsynced_write& write, const chooser& choose);
    static void settle(inode& of, const chooser& choose);
    void restart();

    mutable std::mutex mutex_;
    std::map<file_number, inode> inodes_;
    name_table cached_names_, disk_names_;
    std::vector<unsynced_name> unsynced_names_;
    std::set<std::string> locked_;
    std::uint64_t epoch_ = 1;  // open files of an earlier epoch are stale
    file_number last_file_ = 0;

    std::map<operation, std::uint64_t> counted_;
    std::uint64_t operations_ = 0;
    std::map<operation, planned_failure> failures_;
    std::optional<std::uint64_t> cut_at_;
    bool powerless_ = false;
    std::uint64_t space_left_ = UINT64_MAX;
};

}  // namespace floodgate::store
