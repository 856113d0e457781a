#include "engine/private_file.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <stdexcept>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace floodgate::engine {
namespace {

[[noreturn]] void fail(const std::string& path, int error) {
    throw std::runtime_error(path + ": " + std::generic_category().message(error));
}

}  // namespace

void write_private_file(const std::string& path, const std::string& text) {
    constexpr int owner_only = 0600;
    const std::string unfinished = path + ".new";
    const int file = ::open(unfinished.c_str(),
                            O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, owner_only);
    if (file < 0) fail(unfinished, errno);
    const bool written = ::fchmod(file, owner_only) == 0 &&
                         ::write(file, text.data(), text.size()) == std::ssize(text) &&
                         ::fsync(file) == 0;
    const int error = errno;
    ::close(file);
    if (!written) fail(unfinished, error);
    if (std::rename(unfinished.c_str(), path.c_str()) != 0) fail(path, errno);
}

}  // namespace floodgate::engine
