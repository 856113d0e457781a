// The file port on a real POSIX file system.
//
// It reserves a few file descriptors (descriptor_reserve.hpp), and every directory that was synced
// once stays open. So what a journal does in the middle of a rush needs no new descriptor.

#pragma once

#include <map>
#include <mutex>

#include "store/files/descriptor_reserve.hpp"
#include "store/files/file_system.hpp"

namespace floodgate::store {

class posix_files final : public file_system {
public:
    // For the next segment, the reader's next one, and one more of each.
    static constexpr std::size_t descriptors_kept = 4;

    result<std::unique_ptr<file>> create(const std::string& path, std::uint64_t bytes) override;
    result<std::unique_ptr<file>> open(const std::string& path) override;
    result<std::unique_ptr<file>> open_to_read(const std::string& path) override;
    result<void> remove(const std::string& path) override;
    result<void> rename(const std::string& from, const std::string& to) override;
    result<void> make_directory(const std::string& path) override;
    result<void> sync_directory(const std::string& path) override;
    result<std::vector<std::string>> list(const std::string& directory) override;
    result<std::unique_ptr<directory_lock>> lock(const std::string& directory) override;

private:
    // Shared, because open files may outlive the file system, although in no program of ours.
    std::shared_ptr<descriptor_reserve> reserve_ =
        std::make_shared<descriptor_reserve>(descriptors_kept);
    std::mutex mutex_;
    std::map<std::string, std::unique_ptr<file>> directories_;  // synced before; stay open
};

}  // namespace floodgate::store
