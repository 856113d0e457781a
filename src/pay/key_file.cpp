#include "pay/key_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace floodgate::pay {
namespace {

constexpr unsigned mode_bits = 07777;

class open_file {
public:
    // Without O_NONBLOCK, opening a named pipe would wait for its other end.
    explicit open_file(const std::string& path)
        : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
    open_file(const open_file&) = delete;
    open_file& operator=(const open_file&) = delete;
    ~open_file() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    int descriptor() const { return descriptor_; }

private:
    int descriptor_;
};

[[noreturn]] void refuse_unread(const std::string& path, int error) {
    if (error == ENOENT)
        throw key_error(
            fmt::format("{} does not exist: put the key there, or correct the path", path));
    throw key_error(fmt::format("{} cannot be read ({}): the user that runs floodgate must own it",
                                path, std::generic_category().message(error)));
}

// Looks at the file that is open, not at what the path leads to by now.
void check_file(const std::string& path, const struct stat& about, key_secrecy secrecy) {
    if (!S_ISREG(about.st_mode))
        throw key_error(fmt::format("{} is not a regular file: name the key file itself", path));
    if (secrecy == key_secrecy::owner_only && (about.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        throw key_error(
            fmt::format("{} is a secret that other users can use (mode {:04o}): "
                        "chmod 600 {}",
                        path, about.st_mode & mode_bits, path));
    if (about.st_size == 0) throw key_error(fmt::format("{} is empty: put the key there", path));
    if (about.st_size > static_cast<off_t>(key_file_bytes_max))
        throw key_error(fmt::format("{} has {} bytes, more than any key ({}): name the key file",
                                    path, about.st_size, key_file_bytes_max));
}

}  // namespace

std::string read_key_file(const std::string& path, key_secrecy secrecy) {
    const open_file file(path);
    if (file.descriptor() < 0) refuse_unread(path, errno);
    struct stat about {};
    if (::fstat(file.descriptor(), &about) < 0) refuse_unread(path, errno);
    check_file(path, about, secrecy);

    std::string text(static_cast<std::size_t>(about.st_size), '\0');
    for (std::size_t have = 0; have < text.size();) {
        const ssize_t got = ::read(file.descriptor(), text.data() + have, text.size() - have);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) refuse_unread(path, errno);
        if (got == 0) throw key_error(fmt::format("{} was changed while it was read", path));
        have += static_cast<std::size_t>(got);
    }
    return text;
}

}  // namespace floodgate::pay
