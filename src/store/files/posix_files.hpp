// The file port on a real POSIX file system.

#pragma once

#include "store/files/file_system.hpp"

namespace floodgate::store {

class posix_files final : public file_system {
public:
    result<std::unique_ptr<file>> create(const std::string& path, std::uint64_t bytes) override;
    result<std::unique_ptr<file>> open(const std::string& path) override;
    result<void> remove(const std::string& path) override;
    result<void> rename(const std::string& from, const std::string& to) override;
    result<void> make_directory(const std::string& path) override;
    result<void> sync_directory(const std::string& path) override;
    result<std::vector<std::string>> list(const std::string& directory) override;
    result<std::unique_ptr<directory_lock>> lock(const std::string& directory) override;
};

}  // namespace floodgate::store
