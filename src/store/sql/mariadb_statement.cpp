#include "store/sql/mariadb_statement.hpp"

#include <algorithm>
#include <charconv>
#include <mysql.h>
#include <string>
#include <utility>
#include <vector>

namespace floodgate::store {
namespace {

constexpr std::size_t text_size_first = 256;  // grows when a longer one comes

bool only_reads(std::string_view sql) {
    for (const std::string_view word : {"SELECT", "SHOW", "EXPLAIN"})
        if (sql.starts_with(word)) return true;
    return false;
}

bool is_number(enum_field_types type) {
    switch (type) {
    case MYSQL_TYPE_TINY:
    case MYSQL_TYPE_SHORT:
    case MYSQL_TYPE_INT24:
    case MYSQL_TYPE_LONG:
    case MYSQL_TYPE_LONGLONG:
    case MYSQL_TYPE_NEWDECIMAL:  // what SUM gives
    case MYSQL_TYPE_DECIMAL: return true;
    default: return false;
    }
}

struct column {
    bool number = false;
    std::int64_t integer = 0;
    std::vector<char> bytes;
    unsigned long length = 0;
    my_bool null = 0;
    mutable std::string shown;  // a number that was asked for as text

    std::string_view view() const { return {bytes.data(), std::min(length, bytes.size())}; }
};

class mariadb_statement final : public statement {
public:
    mariadb_statement(mariadb_session& session, std::string_view sql)
        : session_(session),
          only_reads_(only_reads(sql)),
          handle_(mysql_stmt_init(session.handle())) {
        if (!handle_) throw std::bad_alloc();
        session_.begin_call();
        if (mysql_stmt_prepare(handle_.get(), sql.data(), sql.size()) != 0) fail();
        const std::size_t places = mysql_stmt_param_count(handle_.get());
        given_.resize(places);
        numbers_.resize(places);
        describe_columns();
    }

    void bind(int place, std::int64_t value) override {
        numbers_.at(index(place)) = value;
        MYSQL_BIND& b = given_[index(place)];
        b = {};
        b.buffer_type = MYSQL_TYPE_LONGLONG;
        b.buffer = &numbers_[index(place)];
    }
    void bind(int place, std::string_view text) override {
        bind_bytes(place, MYSQL_TYPE_STRING, text.data(), text.size());
    }
    void bind(int place, byte_view bytes) override {
        bind_bytes(place, MYSQL_TYPE_BLOB, bytes.data(), bytes.size());
    }
    void bind_null(int place) override {
        MYSQL_BIND& b = given_.at(index(place));
        b = {};
        b.buffer_type = MYSQL_TYPE_NULL;
    }

    bool step() override {
        if (!executed_) execute();
        if (columns_.empty()) return false;
        const int got = mysql_stmt_fetch(handle_.get());
        finished_ = got == MYSQL_NO_DATA || got == 1;
        if (got == MYSQL_NO_DATA) return false;
        if (got == 1) fail();
        fetch_long_ones();
        return true;
    }

    // Reads the remaining rows, because the answer may end in an error that concerns the
    // transaction.
    void reset() noexcept override {
        if (executed_ && !columns_.empty()) {
            int got = finished_ ? MYSQL_NO_DATA : 0;
            while (got == 0 || got == MYSQL_DATA_TRUNCATED) got = mysql_stmt_fetch(handle_.get());
            if (got == 1) session_.fail_later(errors().first, errors().second);
            mysql_stmt_free_result(handle_.get());
        }
        executed_ = false;
    }

    std::int64_t integer(int at) const override {
        const column& c = columns_.at(static_cast<std::size_t>(at));
        if (c.null != 0) return 0;
        if (c.number) return c.integer;
        std::int64_t value = 0;
        const std::string_view text = c.view();
        std::from_chars(text.data(), text.data() + text.size(), value);
        return value;
    }
    std::string_view text(int at) const override {
        const column& c = columns_.at(static_cast<std::size_t>(at));
        if (c.null != 0) return {};
        if (!c.number) return c.view();
        c.shown = std::to_string(c.integer);
        return c.shown;
    }
    byte_view bytes(int at) const override {
        const std::string_view found = text(at);
        return {reinterpret_cast<const std::byte*>(found.data()), found.size()};
    }
    bool is_null(int at) const override {
        return columns_.at(static_cast<std::size_t>(at)).null != 0;
    }

private:
    struct closer {
        void operator()(MYSQL_STMT* s) const { mysql_stmt_close(s); }
    };
    static std::size_t index(int place) { return static_cast<std::size_t>(place) - 1; }

    // An error in the middle of an answer is reported by the session, not by the statement.
    std::pair<unsigned, const char*> errors() const {
        MYSQL* m = session_.handle();
        if (mysql_stmt_errno(handle_.get()) == 0) return {mysql_errno(m), mysql_error(m)};
        return {mysql_stmt_errno(handle_.get()), mysql_stmt_error(handle_.get())};
    }
    [[noreturn]] void fail() {
        const auto [error, text] = errors();
        session_.fail(error, text);
    }

    void bind_bytes(int place, enum_field_types type, const void* data, std::size_t size) {
        MYSQL_BIND& b = given_.at(index(place));
        b = {};
        b.buffer_type = type;
        // The library only reads it. A null pointer would bind NULL instead of an empty text.
        b.buffer = const_cast<void*>(data == nullptr ? static_cast<const void*>("") : data);
        b.buffer_length = size;
    }

    void describe_columns() {
        const std::unique_ptr<MYSQL_RES, decltype(&mysql_free_result)> meta(
            mysql_stmt_result_metadata(handle_.get()), &mysql_free_result);
        if (!meta) return;
        const std::span fields(mysql_fetch_fields(meta.get()), mysql_num_fields(meta.get()));
        columns_.resize(fields.size());
        found_.resize(fields.size());
        for (std::size_t i = 0; i < fields.size(); ++i) {
            columns_[i].number = is_number(fields[i].type);
            if (!columns_[i].number) columns_[i].bytes.resize(text_size_first);
            describe(i);
        }
    }

    void describe(std::size_t i) {
        column& c = columns_[i];
        MYSQL_BIND& b = found_[i];
        b = {};
        b.buffer_type = c.number ? MYSQL_TYPE_LONGLONG : MYSQL_TYPE_BLOB;
        b.buffer = c.number ? static_cast<void*>(&c.integer) : c.bytes.data();
        b.buffer_length = c.number ? sizeof(c.integer) : c.bytes.size();
        b.length = &c.length;
        b.is_null = &c.null;
    }

    void execute() {
        if (!only_reads_ && !session_.may_write)
            throw sql_error(sql_failure::other, "a reader's connection was asked to write");
        MYSQL_STMT* s = handle_.get();
        if (!given_.empty() && mysql_stmt_bind_param(s, given_.data()) != 0) fail();
        session_.begin_call();
        if (mysql_stmt_execute(s) != 0) fail();
        executed_ = true;
        finished_ = false;
        if (!columns_.empty()) {
            if (mysql_stmt_bind_result(s, found_.data()) != 0) fail();
            return;
        }
        session_.changes = static_cast<std::int64_t>(mysql_stmt_affected_rows(s));
        if (const auto id = mysql_stmt_insert_id(s); id != 0)
            session_.last_insert_id = static_cast<std::int64_t>(id);
    }

    // Values that did not fit are fetched again, into a buffer that stays larger from then on.
    void fetch_long_ones() {
        bool grown = false;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            column& c = columns_[i];
            if (c.number || c.null != 0 || c.length <= c.bytes.size()) continue;
            c.bytes.resize(c.length);
            describe(i);
            if (mysql_stmt_fetch_column(handle_.get(), &found_[i], static_cast<unsigned>(i), 0) !=
                0)
                fail();
            grown = true;
        }
        if (grown && mysql_stmt_bind_result(handle_.get(), found_.data()) != 0) fail();
    }

    mariadb_session& session_;
    const bool only_reads_;
    bool executed_ = false;
    bool finished_ = false;  // all rows are read
    std::unique_ptr<MYSQL_STMT, closer> handle_;
    std::vector<MYSQL_BIND> given_, found_;
    std::vector<std::int64_t> numbers_;
    std::vector<column> columns_;
};

}  // namespace

std::unique_ptr<statement> prepare_mariadb(mariadb_session& session, std::string_view sql) {
    return std::make_unique<mariadb_statement>(session, sql);
}

}  // namespace floodgate::store
