#include "store/files/posix_files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace floodgate::store {
namespace {

// Small chunks, synced one by one: a large burst would delay the journal's own syncs.
constexpr std::size_t zero_chunk_bytes = 256 << 10;
constexpr mode_t owner_and_group_read = 0640;

boost::system::error_code last_error() { return {errno, boost::system::generic_category()}; }

// Calls again while a signal interrupts.
template <class Call>
auto uninterrupted(Call call) {
    auto done = call();
    while (done < 0 && errno == EINTR) done = call();
    return done;
}

result<void> checked(int status) {
    if (status < 0) return last_error();
    return {};
}

using reserve = std::shared_ptr<descriptor_reserve>;

// A file descriptor, closed once.
class descriptor {
public:
    descriptor(reserve from, int number) : from_(std::move(from)), number_(number) {}
    descriptor(descriptor&& other) noexcept
        : from_(std::move(other.from_)), number_(std::exchange(other.number_, -1)) {}
    descriptor& operator=(descriptor&&) = delete;
    ~descriptor() {
        if (number_ >= 0) from_->close(number_);
    }
    int operator*() const { return number_; }

private:
    reserve from_;
    int number_;
};

result<descriptor> open_descriptor(const reserve& from, const std::string& path, int flags) {
    const int number = from->open(path.c_str(), flags, owner_and_group_read);
    if (number < 0) return last_error();
    return descriptor(from, number);
}

class posix_file final : public file {
public:
    explicit posix_file(descriptor opened) : descriptor_(std::move(opened)) {}

    result<std::uint64_t> size() const override {
        struct stat about {};
        if (::fstat(*descriptor_, &about) < 0) return last_error();
        return static_cast<std::uint64_t>(about.st_size);
    }

    result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> into) const override {
        std::size_t done = 0;
        while (done < into.size()) {
            const ssize_t n = uninterrupted([&] {
                return ::pread(*descriptor_, into.data() + done, into.size() - done,
                               static_cast<off_t>(offset + done));
            });
            if (n < 0) return last_error();
            if (n == 0) break;
            done += static_cast<std::size_t>(n);
        }
        return done;
    }

    result<void> write_at(std::uint64_t offset, byte_view bytes) override {
        while (!bytes.empty()) {
            const ssize_t n = uninterrupted([&] {
                return ::pwrite(*descriptor_, bytes.data(), bytes.size(),
                                static_cast<off_t>(offset));
            });
            if (n < 0) return last_error();
            if (n == 0) return make_error_code(boost::system::errc::io_error);
            bytes = bytes.subspan(static_cast<std::size_t>(n));
            offset += static_cast<std::uint64_t>(n);
        }
        return {};
    }

    // A sync that is interrupted by a signal has not failed, and the kernel has dropped no data.
    result<void> sync() override {
        return checked(uninterrupted([&] { return ::fdatasync(*descriptor_); }));
    }
    result<void> sync_all() override {
        return checked(uninterrupted([&] { return ::fsync(*descriptor_); }));
    }

private:
    descriptor descriptor_;
};

class posix_lock final : public directory_lock {
public:
    explicit posix_lock(descriptor locked) : descriptor_(std::move(locked)) {}

private:
    descriptor descriptor_;
};

result<void> write_zeros(posix_file& into, std::uint64_t bytes) {
    const std::vector<std::byte> zeros(std::min<std::uint64_t>(bytes, zero_chunk_bytes));
    for (std::uint64_t at = 0; at < bytes; at += zeros.size()) {
        const auto n = std::min<std::uint64_t>(zeros.size(), bytes - at);
        if (auto written = into.write_at(at, byte_view(zeros).first(n)); !written) return written;
        if (auto synced = into.sync(); !synced) return synced;
    }
    return into.sync_all();
}

result<std::unique_ptr<file>> open_file(const reserve& from, const std::string& path, int flags) {
    auto opened = open_descriptor(from, path, flags);
    if (!opened) return opened.error();
    return std::unique_ptr<file>(std::make_unique<posix_file>(std::move(*opened)));
}

}  // namespace

result<std::unique_ptr<file>> posix_files::create(const std::string& path, std::uint64_t bytes) {
    auto opened = open_descriptor(reserve_, path, O_RDWR | O_CREAT | O_TRUNC);
    if (!opened) return opened.error();
    // Asks for all blocks at once. Not every file system can; writing the zeros allocates them
    // anyway.
    if (::fallocate(**opened, 0, 0, static_cast<off_t>(bytes)) < 0 && errno == ENOSPC)
        return last_error();
    auto made = std::make_unique<posix_file>(std::move(*opened));
    if (auto zeroed = write_zeros(*made, bytes); !zeroed) return zeroed.error();
    return std::unique_ptr<file>(std::move(made));
}

result<std::unique_ptr<file>> posix_files::open(const std::string& path) {
    return open_file(reserve_, path, O_RDWR);
}

result<std::unique_ptr<file>> posix_files::open_to_read(const std::string& path) {
    return open_file(reserve_, path, O_RDONLY);
}

result<void> posix_files::remove(const std::string& path) {
    return checked(::unlink(path.c_str()));
}

result<void> posix_files::rename(const std::string& from, const std::string& to) {
    return checked(std::rename(from.c_str(), to.c_str()));
}

result<void> posix_files::make_directory(const std::string& path) {
    if (::mkdir(path.c_str(), 0750) == 0 || errno == EEXIST) return {};
    return last_error();
}

result<void> posix_files::sync_directory(const std::string& path) {
    file* directory = nullptr;
    {
        const std::scoped_lock held(mutex_);
        auto& kept = directories_[path];
        if (!kept) {
            auto opened = open_file(reserve_, path.empty() ? "." : path, O_RDONLY | O_DIRECTORY);
            if (!opened) return opened.error();
            kept = std::move(*opened);
        }
        directory = kept.get();
    }
    return directory->sync_all();
}

result<std::vector<std::string>> posix_files::list(const std::string& directory) {
    std::error_code failed;
    std::vector<std::string> names;
    std::filesystem::directory_iterator at(directory, failed);
    for (; !failed && at != std::filesystem::directory_iterator(); at.increment(failed)) {
        std::error_code unknown;
        if (at->is_regular_file(unknown)) names.push_back(at->path().filename().string());
    }
    if (failed) return boost::system::error_code(failed.value(), boost::system::generic_category());
    std::ranges::sort(names);
    return names;
}

// The lock is on the directory itself, so that no file can be removed to get rid of it.
result<std::unique_ptr<directory_lock>> posix_files::lock(const std::string& directory) {
    auto opened = open_descriptor(reserve_, directory, O_RDONLY | O_DIRECTORY);
    if (!opened) return opened.error();
    if (uninterrupted([&] { return ::flock(**opened, LOCK_EX | LOCK_NB); }) < 0)
        return last_error();
    return std::unique_ptr<directory_lock>(std::make_unique<posix_lock>(std::move(*opened)));
}

}  // namespace floodgate::store
