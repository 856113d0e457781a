// One session with a MariaDB or MySQL server: the C API's handle, and what its errors mean.
// The connection and its statements share it.

#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "store/sql/sql.hpp"

struct st_mysql;

namespace floodgate::store {

// Where and as whom. `address` is HOST:PORT, [IPV6]:PORT or the path of a Unix socket.
struct mariadb_target {
    std::string address;
    std::string user;
    std::string password;
    std::string database;  // empty: none yet
    std::chrono::seconds connect_timeout{3};
    std::chrono::seconds io_timeout{10};  // of each read and write
};

// An error of the server's or of the client library's, with its number.
class mariadb_error : public sql_error {
public:
    mariadb_error(sql_failure kind, unsigned number, const std::string& what)
        : sql_error(kind, what), number_(number) {}
    unsigned number() const { return number_; }

private:
    unsigned number_;
};

sql_failure mariadb_kind_of(unsigned error);
// The session is of no use after such an error: lost, killed, or its Galera node is not ready.
bool ends_mariadb_session(unsigned error);

class mariadb_session {
public:
    // Throws mariadb_error.
    explicit mariadb_session(const mariadb_target& target);

    st_mysql* handle() const { return handle_.get(); }
    bool broken() const { return broken_; }
    void give_up() { broken_ = true; }
    // Asks only the kernel: if the server has closed an idle session, an end of file has come.
    bool still_open() const;

    // To be called before each call to the server: the duration of the call tells a time-out from a
    // lost connection. Throws when the server has ended the transaction that the call belongs to,
    // because the call would then be a transaction of its own.
    void begin_call();
    [[noreturn]] void fail(unsigned error, const char* text);
    // Remembers the error of an answer that was not read to its end; the next call reports it.
    void fail_later(unsigned error, const char* text);
    // One command, its answer thrown away.
    void query(std::string_view sql);

    std::int64_t changes = 0;
    std::int64_t last_insert_id = 0;
    bool may_write = true;  // false while it is lent as a reader

    void enter_transaction() { in_transaction_ = true; }
    // Also clears an error that was to be reported later.
    void leave_transaction();
    bool in_transaction() const { return in_transaction_; }

private:
    struct closer {
        void operator()(st_mysql* handle) const;
    };
    std::unique_ptr<st_mysql, closer> handle_;
    std::chrono::seconds io_timeout_;
    std::chrono::steady_clock::time_point call_began_{};
    bool broken_ = false;
    bool in_transaction_ = false;
    unsigned late_error_ = 0;
    std::string late_text_;
};

}  // namespace floodgate::store
