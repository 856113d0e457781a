#include "commands/private_files.hpp"

#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace floodgate::commands {

std::unique_ptr<store::directory_lock> take_directory(store::file_system& files,
                                                      const std::string& path,
                                                      const std::string& another) {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (!error) std::filesystem::permissions(path, std::filesystem::perms::owner_all, error);
    if (error) throw std::runtime_error(path + ": " + error.message());
    auto got = files.lock(path);
    if (got) return std::move(*got);
    if (got.error() == boost::system::errc::operation_would_block)
        throw std::runtime_error(path + ": in use by a running " + another + "; stop it first");
    throw std::runtime_error(path + ": " + got.error().message());
}

}  // namespace floodgate::commands
