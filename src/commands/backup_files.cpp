#include "commands/backup_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <stdexcept>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "journal/crc32c.hpp"

namespace floodgate::commands {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t page_bytes = 4096;
constexpr std::size_t block_bytes = 1 << 20;
constexpr const char* first_line = "floodgate backup 1";
constexpr std::size_t files_max = 1'000'000;

[[noreturn]] void fail(const std::string& path, int error = errno) {
    throw std::runtime_error(path + ": " + std::generic_category().message(error));
}

struct descriptor {
    explicit descriptor(int n, const std::string& path) : fd(n) {
        if (fd < 0) fail(path);
    }
    ~descriptor() { ::close(fd); }
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;
    const int fd;
};

int make_file(const std::string& path) {
    return ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
}

void write_at(int fd, const std::string& path, std::span<const char> bytes, std::uint64_t at) {
    while (!bytes.empty()) {
        const ssize_t done = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(at));
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) fail(path);
        bytes = bytes.subspan(static_cast<std::size_t>(done));
        at += static_cast<std::uint64_t>(done);
    }
}

std::size_t read_at(int fd, const std::string& path, std::span<char> into, std::uint64_t at) {
    std::size_t got = 0;
    while (got < into.size()) {
        const ssize_t done =
            ::pread(fd, into.data() + got, into.size() - got, static_cast<off_t>(at + got));
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) fail(path);
        if (done == 0) break;
        got += static_cast<std::size_t>(done);
    }
    return got;
}

std::uint64_t size_of(int fd, const std::string& path) {
    struct stat about {};
    if (::fstat(fd, &about) != 0) fail(path);
    return static_cast<std::uint64_t>(about.st_size);
}

// Calls use(bytes, offset) for the whole file; gives its description.
template <class Use>
listed_file read_through(const std::string& path, const std::string& name, Use use) {
    const descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC), path);
    listed_file out{.name = name};
    std::string block(block_bytes, '\0');
    while (const std::size_t got = read_at(file.fd, path, block, out.bytes)) {
        const std::span<const char> bytes(block.data(), got);
        out.crc = journal::crc32c(out.crc, std::as_bytes(bytes));
        use(bytes, out.bytes);
        out.bytes += got;
    }
    return out;
}

// A name that leads out of the directory is no name of a backup.
bool is_plain(const std::string& name) {
    const fs::path path(name);
    return !name.empty() && path.is_relative() &&
           std::ranges::none_of(path, [](const fs::path& part) { return part == ".."; });
}

}  // namespace

held_file::held_file(const std::string& path)
    : path_(path), fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) fail(path);
}
held_file::held_file(held_file&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}
held_file& held_file::operator=(held_file&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(fd_, other.fd_);
    return *this;
}
held_file::~held_file() {
    if (fd_ >= 0) ::close(fd_);
}

// Page by page, because a larger read of a file that is being written is not of one moment. Zeros
// are left out: they cost nothing in the copy.
void held_file::copy_backwards(const std::string& to) const {
    const descriptor out(make_file(to), to);
    const std::uint64_t bytes = size_of(fd_, path_);
    if (::ftruncate(out.fd, static_cast<off_t>(bytes)) != 0) fail(to);
    std::array<char, page_bytes> page{};
    for (std::uint64_t end = bytes; end > 0;) {
        const std::uint64_t begin = (end - 1) / page_bytes * page_bytes;
        const std::span<char> part = std::span(page).first(end - begin);
        const std::size_t got = read_at(fd_, path_, part, begin);
        if (std::ranges::any_of(part.first(got), [](char c) { return c != 0; }))
            write_at(out.fd, to, part.first(got), begin);
        end = begin;
    }
    if (::fsync(out.fd) != 0) fail(to);
}

listed_file describe(const std::string& directory, const std::string& name) {
    return read_through((fs::path(directory) / name).string(), name, [](auto, auto) {});
}

std::string write_list(const std::vector<listed_file>& files) {
    std::string out = fmt::format("{}\n", first_line);
    for (const listed_file& f : files) out += fmt::format("{} {:08x} {}\n", f.bytes, f.crc, f.name);
    return out;
}

std::vector<listed_file> read_list(const std::string& path) {
    std::ifstream in(path);
    std::string line;
    if (!in || !std::getline(in, line))
        throw std::runtime_error(path + ": not there: this is no finished backup");
    if (line != first_line) throw std::runtime_error(path + ": not the list of a backup");
    std::vector<listed_file> files;
    while (std::getline(in, line)) {
        listed_file f;
        std::istringstream words(line);
        words >> f.bytes >> std::hex >> f.crc >> std::dec >> f.name;
        if (!words || !is_plain(f.name) || files.size() == files_max)
            throw std::runtime_error(path + ": not the list of a backup: " + line);
        files.push_back(std::move(f));
    }
    return files;
}

void copy_listed(const listed_file& file, const std::string& from, const std::string& to) {
    listed_file copied;
    {
        const descriptor out(make_file(to), to);
        copied = read_through(from, file.name, [&](std::span<const char> bytes, std::uint64_t at) {
            write_at(out.fd, to, bytes, at);
        });
        if (::fsync(out.fd) != 0) fail(to);
    }
    if (copied != file) throw std::runtime_error(from + ": not as it was when the backup was made");
    if (read_through(to, file.name, [](auto, auto) {}) != file)
        throw std::runtime_error(to + ": reads back differently than it was written");
}

void make_empty_directory(const std::string& path) {
    std::error_code error;
    if (fs::exists(path, error) && !fs::is_empty(path, error))
        throw std::runtime_error(path + ": is not empty");
    if (!error) fs::create_directories(path, error);
    if (!error) fs::permissions(path, fs::perms::owner_all, error);
    if (error) throw std::runtime_error(path + ": " + error.message());
}

void sync_directory(const std::string& path) {
    const descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), path);
    if (::fsync(directory.fd) != 0) fail(path);
}

}  // namespace floodgate::commands
