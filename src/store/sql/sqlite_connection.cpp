#include "store/sql/sqlite_connection.hpp"

#include <sqlite3.h>

#include "base/log.hpp"

namespace floodgate::store {
namespace {

sql_failure kind_of(int extended) {
    switch (extended) {
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_ROWID: return sql_failure::constraint_unique;
    case SQLITE_CONSTRAINT_FOREIGNKEY: return sql_failure::constraint_foreign;
    default: break;
    }
    switch (extended & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return sql_failure::busy;
    case SQLITE_FULL: return sql_failure::full;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return sql_failure::corrupt;
    case SQLITE_CONSTRAINT:  // CHECK, NOT NULL, a trigger's RAISE ...
    case SQLITE_MISMATCH:
    case SQLITE_TOOBIG: return sql_failure::rejected;
    default: return sql_failure::other;
    }
}

[[noreturn]] void fail(sqlite3* handle) {
    throw sql_error(kind_of(sqlite3_extended_errcode(handle)), sqlite3_errmsg(handle));
}

void expect_ok(sqlite3* handle, int code) {
    if (code != SQLITE_OK) fail(handle);
}

class sqlite_statement final : public statement {
public:
    sqlite_statement(sqlite3* connection, std::string_view sql) : connection_(connection) {
        expect_ok(connection_,
                  sqlite3_prepare_v3(connection_, sql.data(), static_cast<int>(sql.size()),
                                     SQLITE_PREPARE_PERSISTENT, &handle_, nullptr));
    }
    ~sqlite_statement() override { sqlite3_finalize(handle_); }
    sqlite_statement(const sqlite_statement&) = delete;
    sqlite_statement& operator=(const sqlite_statement&) = delete;

    void bind(int place, std::int64_t value) override {
        expect_ok(connection_, sqlite3_bind_int64(handle_, place, value));
    }
    void bind(int place, std::string_view text) override {
        // A null pointer would bind NULL instead of an empty text.
        const char* data = text.data() == nullptr ? "" : text.data();
        expect_ok(connection_, sqlite3_bind_text64(handle_, place, data, text.size(), SQLITE_STATIC,
                                                   SQLITE_UTF8));
    }
    void bind(int place, byte_view bytes) override {
        const void* data = bytes.data() == nullptr ? static_cast<const void*>("") : bytes.data();
        expect_ok(connection_,
                  sqlite3_bind_blob64(handle_, place, data, bytes.size(), SQLITE_STATIC));
    }
    void bind_null(int place) override {
        expect_ok(connection_, sqlite3_bind_null(handle_, place));
    }

    bool step() override {
        const int code = sqlite3_step(handle_);
        if (code == SQLITE_ROW) return true;
        if (code != SQLITE_DONE) fail(connection_);
        return false;
    }
    // The values stay bound but unread: the next use binds all places again.
    void reset() noexcept override { sqlite3_reset(handle_); }

    std::int64_t integer(int column) const override {
        return sqlite3_column_int64(handle_, column);
    }
    std::string_view text(int column) const override {
        const void* data = sqlite3_column_text(handle_, column);
        if (data == nullptr) return {};
        return {static_cast<const char*>(data), size(column)};
    }
    byte_view bytes(int column) const override {
        const void* data = sqlite3_column_blob(handle_, column);
        if (data == nullptr) return {};
        return {static_cast<const std::byte*>(data), size(column)};
    }
    bool is_null(int column) const override {
        return sqlite3_column_type(handle_, column) == SQLITE_NULL;
    }

private:
    std::size_t size(int column) const {
        return static_cast<std::size_t>(sqlite3_column_bytes(handle_, column));
    }

    sqlite3* connection_;
    sqlite3_stmt* handle_ = nullptr;
};

}  // namespace

void sqlite_connection::closer::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

sqlite_connection::sqlite_connection(const std::string& path) {
    // No mutex inside SQLite: the database lends a connection to one thread at a time.
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    sqlite3* opened = nullptr;
    const int code = sqlite3_open_v2(path.c_str(), &opened, flags, nullptr);
    handle_.reset(opened);
    if (code != SQLITE_OK) throw sql_error(kind_of(code), path + ": " + sqlite3_errstr(code));
}

sqlite_connection::~sqlite_connection() { forget_statements(); }

void sqlite_connection::execute(const std::string& sql) {
    expect_ok(handle_.get(), sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr));
}

// IMMEDIATE, since a transaction that starts as a reader and then writes can fail half-way as busy.
void sqlite_connection::begin(access mode) {
    run(mode == access::write ? "BEGIN IMMEDIATE" : "BEGIN");
}

void sqlite_connection::commit() { run("COMMIT"); }

void sqlite_connection::rollback() noexcept {
    if (sqlite3_get_autocommit(handle_.get()) != 0) return;
    try {
        run("ROLLBACK");
    } catch (const std::exception& e) {
        log::error("store.rollback_failed", "error", e.what());
    }
}

std::int64_t sqlite_connection::changes() const { return sqlite3_changes64(handle_.get()); }

std::int64_t sqlite_connection::last_insert_id() const {
    return sqlite3_last_insert_rowid(handle_.get());
}

std::unique_ptr<statement> sqlite_connection::prepare(std::string_view sql) {
    return std::make_unique<sqlite_statement>(handle_.get(), sql);
}

void sqlite_connection::set_busy_timeout(int ms) {
    expect_ok(handle_.get(), sqlite3_busy_timeout(handle_.get(), ms));
}

}  // namespace floodgate::store
