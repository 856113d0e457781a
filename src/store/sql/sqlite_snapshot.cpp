#include "store/sql/sqlite_snapshot.hpp"

#include <sqlite3.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include "store/sql/sql.hpp"

namespace floodgate::store {
namespace {

[[noreturn]] void fail(sqlite3* at, const std::string& file) {
    const int code = at == nullptr ? SQLITE_NOMEM : sqlite3_errcode(at);
    const auto kind = code == SQLITE_BUSY   ? sql_failure::busy
                      : code == SQLITE_FULL ? sql_failure::full
                                            : sql_failure::other;
    throw sql_error(kind, file + ": " + (at == nullptr ? "out of memory" : sqlite3_errmsg(at)));
}

void run(sqlite3* at, const std::string& file, const char* sql) {
    if (sqlite3_exec(at, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail(at, file);
}

void create_privately(const std::string& path) {
    const int fd = ::open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0) throw sql_error(sql_failure::other, path + ": " + std::strerror(errno));
    ::close(fd);
}

}  // namespace

void sqlite_snapshot::closer::operator()(sqlite3* handle) const { sqlite3_close(handle); }

sqlite_snapshot::handle sqlite_snapshot::open(const std::string& file, milliseconds patience) {
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(file.c_str(), &raw, SQLITE_OPEN_READWRITE, nullptr);
    handle out(raw);
    if (code != SQLITE_OK) fail(raw, file);
    sqlite3_busy_timeout(raw, static_cast<int>(patience.count()));
    return out;
}

sqlite_snapshot::sqlite_snapshot(std::vector<std::string> files, milliseconds patience)
    : files_(std::move(files)) {
    for (const std::string& file : files_) {
        writers_.push_back(open(file, patience));
        run(writers_.back().get(), file, "BEGIN IMMEDIATE");
    }
    // A read transaction keeps what it saw first, whatever is written afterwards.
    for (const std::string& file : files_) {
        readers_.push_back(open(file, patience));
        run(readers_.back().get(), file, "BEGIN");
        run(readers_.back().get(), file, "SELECT COUNT(*) FROM sqlite_master");
    }
}

sqlite_snapshot::~sqlite_snapshot() = default;

void sqlite_snapshot::copy(std::size_t which, const std::string& to) {
    create_privately(to);
    const handle target = open(to, milliseconds(0));
    sqlite3_backup* const copying =
        sqlite3_backup_init(target.get(), "main", readers_.at(which).get(), "main");
    if (copying == nullptr) fail(target.get(), to);
    const int done = sqlite3_backup_step(copying, -1);  // all pages, in one transaction
    if (sqlite3_backup_finish(copying) != SQLITE_OK || done != SQLITE_DONE) fail(target.get(), to);
}

}  // namespace floodgate::store
