#include "store/files/simulated_files.hpp"

#include <algorithm>
#include <cassert>
#include <cerrno>

namespace floodgate::store {
namespace {

boost::system::error_code error_of(int number) {
    return {number, boost::system::generic_category()};
}

std::string parent_of(const std::string& path) {
    const auto slash = path.rfind('/');
    return slash == std::string::npos ? "" : path.substr(0, slash);
}

bool is_inside(const std::string& path, const std::string& directory) {
    return path.size() > directory.size() && path.starts_with(directory) &&
           path[directory.size()] == '/';
}

}  // namespace

class simulated_file final : public file {
public:
    simulated_file(simulated_files& world, simulated_files::file_number number)
        : world_(world), number_(number), epoch_(world.epoch_) {}

    result<std::uint64_t> size() const override {
        const std::scoped_lock held(world_.mutex_);
        if (!alive()) return error_of(EIO);
        return inode().cache.size();
    }

    result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> into) const override {
        const std::scoped_lock held(world_.mutex_);
        if (!alive()) return error_of(EIO);
        const auto& cache = inode().cache;
        if (offset >= cache.size()) return std::size_t{0};
        const auto n = std::min<std::uint64_t>(into.size(), cache.size() - offset);
        std::copy_n(cache.data() + offset, n, into.data());
        return static_cast<std::size_t>(n);
    }

    result<void> write_at(std::uint64_t offset, byte_view bytes) override {
        const std::scoped_lock held(world_.mutex_);
        if (!alive()) return error_of(EIO);
        const auto fate = world_.begin(simulated_files::operation::write);
        if (!fate) return fate.error();
        const std::uint64_t size = inode().cache.size(), end = offset + bytes.size();
        const std::uint64_t growth = end > size ? end - size : 0;
        if (growth > world_.space_left_) return error_of(ENOSPC);
        world_.space_left_ -= growth;
        world_.write_cached(inode(), offset, bytes);
        if (*fate == simulated_files::outcome::cut) return error_of(EIO);
        return {};
    }

    result<void> sync() override {
        const std::scoped_lock held(world_.mutex_);
        if (!alive()) return error_of(EIO);
        const auto fate = world_.begin(simulated_files::operation::sync);
        if (!fate) inode().unsynced.clear();
        if (!fate) return fate.error();
        if (*fate == simulated_files::outcome::cut) return error_of(EIO);
        for (const auto& write : inode().unsynced) {
            auto& disk = inode().disk;
            disk.resize(std::max<std::size_t>(disk.size(), write.offset + write.bytes.size()));
            std::ranges::copy(write.bytes, disk.data() + write.offset);
        }
        inode().unsynced.clear();
        return {};
    }
    result<void> sync_all() override { return sync(); }

private:
    bool alive() const { return epoch_ == world_.epoch_ && !world_.powerless_; }
    simulated_files::inode& inode() const { return world_.inodes_.at(number_); }

    simulated_files& world_;
    simulated_files::file_number number_;
    std::uint64_t epoch_;
};

class simulated_lock final : public directory_lock {
public:
    simulated_lock(simulated_files& world, std::string path)
        : world_(world), path_(std::move(path)), epoch_(world.epoch_) {}
    ~simulated_lock() override {
        const std::scoped_lock held(world_.mutex_);
        if (epoch_ == world_.epoch_) world_.locked_.erase(path_);
    }

private:
    simulated_files& world_;
    std::string path_;
    std::uint64_t epoch_;
};

simulated_files::simulated_files(const simulated_files& other) {
    const std::scoped_lock held(other.mutex_);
    inodes_ = other.inodes_;
    cached_names_ = other.cached_names_;
    disk_names_ = other.disk_names_;
    unsynced_names_ = other.unsynced_names_;
    last_file_ = other.last_file_;
    space_left_ = other.space_left_;
}

result<simulated_files::outcome> simulated_files::begin(operation what) {
    if (powerless_) return error_of(EIO);
    ++operations_;
    ++counted_[what];
    if (const auto planned = failures_.find(what);
        planned != failures_.end() && counted_[what] == planned->second.at)
        return error_of(planned->second.error);
    if (cut_at_ && operations_ >= *cut_at_) {
        powerless_ = true;
        return outcome::cut;
    }
    return outcome::passes;
}

void simulated_files::name_table::apply(const unsynced_name& change) {
    switch (change.what) {
    case operation::create: files[change.path] = change.file; return;
    case operation::remove: files.erase(change.path); return;
    case operation::make_directory: directories.insert(change.path); return;
    case operation::rename:
        files.erase(change.path);
        files[change.to] = change.file;
        return;
    case operation::write:
    case operation::sync:
    case operation::sync_directory: assert(false && "not a change of names"); return;
    }
}

void simulated_files::change_names(const unsynced_name& change) {
    cached_names_.apply(change);
    unsynced_names_.push_back(change);
}

void simulated_files::write_cached(inode& into, std::uint64_t offset, byte_view bytes) {
    if (offset + bytes.size() > into.cache.size()) into.cache.resize(offset + bytes.size());
    std::ranges::copy(bytes, into.cache.data() + offset);
    while (!bytes.empty()) {
        const auto n = std::min<std::size_t>(bytes.size(), sector_bytes - offset % sector_bytes);
        into.unsynced.push_back({offset, {bytes.begin(), bytes.begin() + static_cast<long>(n)}});
        bytes = bytes.subspan(n);
        offset += n;
    }
}

result<std::unique_ptr<file>> simulated_files::create(const std::string& path,
                                                      std::uint64_t bytes) {
    const std::scoped_lock held(mutex_);
    const auto fate = begin(operation::create);
    if (!fate) return fate.error();
    if (!cached_names_.directories.contains(parent_of(path))) return error_of(ENOENT);
    if (bytes > space_left_) return error_of(ENOSPC);
    space_left_ -= bytes;
    const file_number number = ++last_file_;
    inode& made = inodes_[number];
    made.disk.resize(bytes);
    made.cache.resize(bytes);
    made.half_made = *fate == outcome::cut;
    change_names({operation::create, path, "", number});
    if (made.half_made) return error_of(EIO);
    return std::unique_ptr<file>(std::make_unique<simulated_file>(*this, number));
}

result<std::unique_ptr<file>> simulated_files::open(const std::string& path) {
    const std::scoped_lock held(mutex_);
    if (powerless_) return error_of(EIO);
    const auto found = cached_names_.files.find(path);
    if (found == cached_names_.files.end()) return error_of(ENOENT);
    return std::unique_ptr<file>(std::make_unique<simulated_file>(*this, found->second));
}

result<void> simulated_files::remove(const std::string& path) {
    const std::scoped_lock held(mutex_);
    const auto fate = begin(operation::remove);
    if (!fate) return fate.error();
    if (!cached_names_.files.contains(path)) return error_of(ENOENT);
    change_names({operation::remove, path, "", 0});
    if (*fate == outcome::cut) return error_of(EIO);
    return {};
}

result<void> simulated_files::rename(const std::string& from, const std::string& to) {
    const std::scoped_lock held(mutex_);
    const auto fate = begin(operation::rename);
    if (!fate) return fate.error();
    const auto found = cached_names_.files.find(from);
    if (found == cached_names_.files.end()) return error_of(ENOENT);
    change_names({operation::rename, from, to, found->second});
    if (*fate == outcome::cut) return error_of(EIO);
    return {};
}

result<void> simulated_files::make_directory(const std::string& path) {
    const std::scoped_lock held(mutex_);
    if (cached_names_.directories.contains(path)) return {};
    const auto fate = begin(operation::make_directory);
    if (!fate) return fate.error();
    change_names({operation::make_directory, path, "", 0});
    if (*fate == outcome::cut) return error_of(EIO);
    return {};
}

result<void> simulated_files::sync_directory(const std::string& path) {
    const std::scoped_lock held(mutex_);
    const auto fate = begin(operation::sync_directory);
    if (!fate) return fate.error();
    if (*fate == outcome::cut) return error_of(EIO);
    std::erase_if(unsynced_names_, [&](const unsynced_name& change) {
        if (parent_of(change.path) != path) return false;
        disk_names_.apply(change);
        return true;
    });
    return {};
}

result<std::vector<std::string>> simulated_files::list(const std::string& directory) {
    const std::scoped_lock held(mutex_);
    if (powerless_) return error_of(EIO);
    if (!cached_names_.directories.contains(directory)) return error_of(ENOENT);
    std::vector<std::string> names;
    for (const auto& [path, number] : cached_names_.files)
        if (parent_of(path) == directory) names.push_back(path.substr(directory.size() + 1));
    return names;
}

result<std::unique_ptr<directory_lock>> simulated_files::lock(const std::string& directory) {
    const std::scoped_lock held(mutex_);
    if (powerless_) return error_of(EIO);
    if (!cached_names_.directories.contains(directory)) return error_of(ENOENT);
    if (!locked_.insert(directory).second) return error_of(EWOULDBLOCK);
    return std::unique_ptr<directory_lock>(std::make_unique<simulated_lock>(*this, directory));
}

void simulated_files::fail(operation what, std::uint64_t nth, int error) {
    const std::scoped_lock held(mutex_);
    failures_[what] = {counted_[what] + nth, error == 0 ? EIO : error};
}

void simulated_files::limit_space(std::uint64_t bytes) {
    const std::scoped_lock held(mutex_);
    space_left_ = bytes;
}

void simulated_files::cut_power_at(std::uint64_t nth) {
    const std::scoped_lock held(mutex_);
    cut_at_ = operations_ + nth;
}

std::uint64_t simulated_files::operations() const {
    const std::scoped_lock held(mutex_);
    return operations_;
}

std::uint64_t simulated_files::operations(operation what) const {
    const std::scoped_lock held(mutex_);
    const auto found = counted_.find(what);
    return found == counted_.end() ? 0 : found->second;
}

void simulated_files::flip_bit(const std::string& path, std::uint64_t bit) {
    const std::scoped_lock held(mutex_);
    inode& damaged = inodes_.at(cached_names_.files.at(path));
    const auto mask = std::byte{1} << static_cast<int>(bit % 8);
    damaged.cache.at(bit / 8) ^= mask;
    damaged.disk.at(bit / 8) ^= mask;
}

void simulated_files::put_file(const std::string& path, byte_view contents) {
    const std::scoped_lock held(mutex_);
    const file_number number = ++last_file_;
    inodes_[number].disk.assign(contents.begin(), contents.end());
    inodes_[number].cache = inodes_[number].disk;
    for (name_table* where : {&cached_names_, &disk_names_}) {
        where->directories.insert(parent_of(path));
        where->files[path] = number;
    }
}

std::vector<std::byte> simulated_files::contents(const std::string& path) const {
    const std::scoped_lock held(mutex_);
    return inodes_.at(cached_names_.files.at(path)).cache;
}

// Lost, kept, or torn: its first half, its last half or its first eight bytes reached the disk.
void simulated_files::settle_write(inode& of, const unsynced_write& write, const chooser& choose) {
    const std::size_t size = write.bytes.size();
    const std::size_t half = (size + 1) / 2, begun = std::min<std::size_t>(size, 8);
    struct part {
        std::size_t from, to;
    };
    const part parts[] = {{0, 0}, {0, size}, {0, half}, {half, size}, {0, begun}};
    const part kept = parts[choose(std::size(parts))];
    if (kept.from == kept.to) return;
    of.disk.resize(std::max<std::size_t>(of.disk.size(), write.offset + kept.to));
    for (std::size_t i = kept.from; i < kept.to; ++i) of.disk[write.offset + i] = write.bytes[i];
}

void simulated_files::settle(inode& of, const chooser& choose) {
    if (of.half_made) {
        const std::uint64_t sizes[] = {0, of.disk.size() / 2, of.disk.size()};
        of.disk.resize(sizes[choose(std::size(sizes))]);
        of.half_made = false;
    }
    for (const auto& write : of.unsynced) settle_write(of, write, choose);
    of.unsynced.clear();
    of.cache = of.disk;
}

void simulated_files::restart() {
    ++epoch_;
    locked_.clear();
    failures_.clear();
    cut_at_.reset();
    powerless_ = false;
}

void simulated_files::crash(const chooser& choose) {
    const std::scoped_lock held(mutex_);
    for (const unsynced_name& change : unsynced_names_)
        if (choose(2) == 0) disk_names_.apply(change);
    unsynced_names_.clear();
    std::erase_if(disk_names_.files, [&](const auto& entry) {
        return std::ranges::none_of(disk_names_.directories, [&](const std::string& directory) {
            return is_inside(entry.first, directory);
        });
    });
    cached_names_ = disk_names_;
    std::set<file_number> reachable;
    for (const auto& [path, number] : disk_names_.files) reachable.insert(number);
    std::erase_if(inodes_, [&](const auto& entry) { return !reachable.contains(entry.first); });
    for (auto& [number, each] : inodes_) settle(each, choose);
    restart();
}

void simulated_files::kill() {
    const std::scoped_lock held(mutex_);
    restart();
}

}  // namespace floodgate::store
