#include "store/sql/sqlite_database.hpp"

#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <mutex>
#include <unistd.h>
#include <vector>

#include "store/sql/sqlite_connection.hpp"

namespace floodgate::store {
namespace {

constexpr std::int64_t application_id = 0x464c4447;  // "FLDG": so `file` and we know our own
constexpr std::string_view in_memory = ":memory:";

// SQLite would create the file readable by all users. An existing file is not touched and not even
// opened: closing it here would drop the locks that this process holds on it through SQLite.
void create_privately(const std::string& path) {
    const int fd = ::open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0 && errno == EEXIST) return;
    if (fd < 0) throw sql_error(sql_failure::other, path + ": " + std::strerror(errno));
    ::close(fd);

    // The name must survive a crash too.
    const auto folder = std::filesystem::absolute(path).parent_path();
    const int dir = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool synced = dir >= 0 && ::fsync(dir) == 0;
    const int reason = errno;
    if (dir >= 0) ::close(dir);
    if (!synced)
        throw sql_error(sql_failure::other, folder.string() + ": " + std::strerror(reason));
}

std::int64_t number(connection& c, std::string_view sql) {
    row_cursor rows = c.ask(sql);
    return rows.next() ? rows.get<std::int64_t>(0) : 0;
}

void set(connection& c, const std::string& name, std::int64_t value) {
    c.execute("PRAGMA " + name + " = " + std::to_string(value));
}

// A file of another program is refused before anything is written to it.
void claim(connection& c, const std::string& path) {
    const std::int64_t found = number(c, "PRAGMA application_id");
    if (found == application_id) return;
    if (found != 0 || number(c, "SELECT COUNT(*) FROM sqlite_master") != 0)
        throw sql_error(sql_failure::other, path + ": a database, but not one of Floodgate's");
    set(c, "application_id", application_id);
}

class sqlite_database final : public database {
public:
    explicit sqlite_database(const sqlite_options& options)
        : options_(options), in_memory_(options.path == in_memory) {
        if (!in_memory_) create_privately(options_.path);
        writer_ = open();
        claim(*writer_, options_.path);
        if (!in_memory_) use_wal();
        set(*writer_, "cache_size", -options_.cache_kib);
        set(*writer_, "wal_autocheckpoint", options_.checkpoint_pages);
        // A log that a long read or a huge transaction made larger is cut back to the usual size.
        set(*writer_, "journal_size_limit", options_.checkpoint_pages * 4096);
        touch(*writer_);
        if (!in_memory_) open_readers();
    }

    lease writer() override {
        std::unique_lock lock(mutex_);
        // Writers take turns: the clerk, which comes back at once, must not keep others from
        // writing.
        const std::uint64_t ticket = next_ticket_++;
        changed_.wait(lock, [&] { return ticket == serving_; });
        return lend(*writer_);
    }

    bool writer_is_awaited() override {
        const std::lock_guard lock(mutex_);
        return next_ticket_ - serving_ > 1;
    }

    lease reader() override {
        if (in_memory_) return writer();  // There is but one connection to memory.
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !idle_.empty(); });
        connection* c = idle_.back();
        idle_.pop_back();
        return lend(*c);
    }

    const dialect& speaks() const override { return sqlite_dialect; }

    std::string durability() const override {
        return in_memory_ ? "sqlite in memory: nothing survives" : "sqlite wal synchronous=full";
    }

private:
    std::unique_ptr<sqlite_connection> open() const {
        auto c = std::make_unique<sqlite_connection>(options_.path);
        c->set_busy_timeout(static_cast<int>(options_.busy_timeout.count()));
        c->execute("PRAGMA synchronous = FULL");
        c->execute("PRAGMA foreign_keys = ON");
        c->execute("PRAGMA cell_size_check = ON");  // finds a damaged page before it does harm
        c->execute("PRAGMA trusted_schema = OFF");
        c->execute("PRAGMA temp_store = MEMORY");  // no file is opened for a sort or a roll-back
        // mmap stays off: it measured no faster, and turns a read error into a signal.
        return c;
    }

    // Opens all readers now, because in a rush there may be no file descriptor left for one more.
    void open_readers() {
        idle_.reserve(options_.readers_max);  // so that giving back cannot fail
        for (std::size_t i = 0; i < options_.readers_max; ++i) {
            readers_.push_back(open());
            readers_.back()->execute("PRAGMA query_only = 1");
            touch(*readers_.back());
            idle_.push_back(readers_.back().get());
        }
    }

    // SQLite opens the log with the first query.
    static void touch(connection& c) { (void)number(c, "SELECT COUNT(*) FROM sqlite_master"); }

    void use_wal() {
        row_cursor answer = writer_->ask("PRAGMA journal_mode = WAL");
        if (!answer.next() || answer.get<std::string>(0) != "wal")
            throw sql_error(sql_failure::other, options_.path + ": this file system cannot do WAL");
    }

    void give_back(connection* c) noexcept override {
        c->rollback();
        {
            const std::lock_guard lock(mutex_);
            if (c == writer_.get()) {
                ++serving_;
            } else {
                idle_.push_back(c);
            }
        }
        changed_.notify_all();
    }

    const sqlite_options options_;
    const bool in_memory_;
    std::unique_ptr<sqlite_connection> writer_;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t next_ticket_ = 0, serving_ = 0;
    std::vector<std::unique_ptr<sqlite_connection>> readers_;
    std::vector<connection*> idle_;
};

}  // namespace

std::unique_ptr<database> open_sqlite(const sqlite_options& options) {
    return std::make_unique<sqlite_database>(options);
}

}  // namespace floodgate::store
