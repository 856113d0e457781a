#include "store/sql/mariadb_session.hpp"

#include <fmt/format.h>

#include <errmsg.h>
#include <mysql.h>
#include <mysqld_error.h>
#include <sys/socket.h>
#include <utility>

#include "base/endpoint.hpp"

namespace floodgate::store {
namespace {

// Numbers that MariaDB's header lacks, or that MySQL names differently.
constexpr unsigned check_violated_mysql = 3819, check_violated_mariadb = 4025,
                   lock_nowait_mysql = 3572, query_timeout_mysql = 3024,
                   statement_timeout_mariadb = 1969, killed_mariadb = 1927, record_changed = 1020,
                   table_changed = 1412, must_reprepare = 1615, table_corrupt = 1877;

// The library must be initialised before threads use it.
void wake_library() {
    static const int woken = mysql_library_init(0, nullptr, nullptr);
    if (woken != 0) throw sql_error(sql_failure::other, "libmariadb cannot be initialised");
}

endpoint endpoint_of(const std::string& address) {
    try {
        return parse_endpoint(address);
    } catch (const endpoint_error& e) {
        throw mariadb_error(sql_failure::other, 0, e.what() + std::string(", nor a socket's path"));
    }
}

bool is_socket(const mariadb_target& t) { return t.address.starts_with('/'); }

template <class Value>
void set(MYSQL* m, mysql_option option, const Value& value) {
    mysql_options(m, option, &value);
}

void configure(MYSQL* m, const mariadb_target& t) {
    set(m, MYSQL_OPT_CONNECT_TIMEOUT, static_cast<unsigned>(t.connect_timeout.count()));
    set(m, MYSQL_OPT_READ_TIMEOUT, static_cast<unsigned>(t.io_timeout.count()));
    set(m, MYSQL_OPT_WRITE_TIMEOUT, static_cast<unsigned>(t.io_timeout.count()));
    set(m, MYSQL_OPT_LOCAL_INFILE, 0U);
    // Otherwise "localhost" would mean a Unix socket.
    const auto protocol =
        static_cast<unsigned>(is_socket(t) ? MYSQL_PROTOCOL_SOCKET : MYSQL_PROTOCOL_TCP);
    set(m, MYSQL_OPT_PROTOCOL, protocol);
    mysql_options(m, MYSQL_SET_CHARSET_NAME, "utf8mb4");
}

}  // namespace

sql_failure mariadb_kind_of(unsigned error) {
    switch (error) {
    case ER_DUP_ENTRY:
    case ER_DUP_ENTRY_WITH_KEY_NAME: return sql_failure::constraint_unique;
    case ER_NO_REFERENCED_ROW:
    case ER_NO_REFERENCED_ROW_2:
    case ER_ROW_IS_REFERENCED:
    case ER_ROW_IS_REFERENCED_2: return sql_failure::constraint_foreign;
    // Galera answers a failed certification with the number of a deadlock.
    case ER_LOCK_DEADLOCK:
    case ER_LOCK_WAIT_TIMEOUT:
    case record_changed:
    case table_changed:
    case must_reprepare:
    case lock_nowait_mysql: return sql_failure::conflict;
    case ER_RECORD_FILE_FULL:
    case ER_DISK_FULL: return sql_failure::full;
    case ER_DATA_TOO_LONG:
    case ER_WARN_DATA_OUT_OF_RANGE:
    case ER_BAD_NULL_ERROR:
    case ER_NO_DEFAULT_FOR_FIELD:
    case ER_TRUNCATED_WRONG_VALUE:
    case ER_TRUNCATED_WRONG_VALUE_FOR_FIELD:
    case WARN_DATA_TRUNCATED:
    case ER_DATA_OUT_OF_RANGE:
    case ER_SIGNAL_EXCEPTION:
    case ER_NET_PACKET_TOO_LARGE:
    case check_violated_mysql:
    case check_violated_mariadb: return sql_failure::rejected;
    case ER_TABLE_EXISTS_ERROR:
    case ER_DUP_FIELDNAME:
    case ER_DUP_KEYNAME: return sql_failure::exists;
    case ER_CRASHED_ON_USAGE:
    case ER_NOT_KEYFILE:
    case table_corrupt: return sql_failure::corrupt;
    case ER_CON_COUNT_ERROR:
    case ER_TOO_MANY_USER_CONNECTIONS:
    case query_timeout_mysql:
    case statement_timeout_mariadb: return sql_failure::busy;
    default: return sql_failure::other;
    }
}

bool ends_mariadb_session(unsigned error) {
    switch (error) {
    case ER_UNKNOWN_COM_ERROR:  // also: the Galera node has left the cluster
    case ER_SERVER_SHUTDOWN:
    case ER_CONNECTION_KILLED: return true;
    // The library's own errors: gone, lost, out of step. The statement's misuse is not among them.
    default: return error == killed_mariadb || (error >= CR_MIN_ERROR && error <= CR_MAX_ERROR);
    }
}

void mariadb_session::closer::operator()(MYSQL* handle) const { mysql_close(handle); }

mariadb_session::mariadb_session(const mariadb_target& target) : io_timeout_(target.io_timeout) {
    wake_library();
    const bool socket = is_socket(target);
    const endpoint at = socket ? endpoint{} : endpoint_of(target.address);
    handle_.reset(mysql_init(nullptr));
    if (!handle_) throw std::bad_alloc();
    configure(handle_.get(), target);
    begin_call();
    const auto if_named = [](const std::string& s) { return s.empty() ? nullptr : s.c_str(); };
    if (mysql_real_connect(handle_.get(), if_named(at.host), target.user.c_str(),
                           target.password.c_str(), if_named(target.database), at.port,
                           socket ? target.address.c_str() : nullptr, CLIENT_FOUND_ROWS) == nullptr)
        fail(mysql_errno(handle_.get()), mysql_error(handle_.get()));
}

bool mariadb_session::still_open() const {
    char byte = 0;
    const auto got = ::recv(mysql_get_socket(handle_.get()), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    // There should be nothing to read. A message here means that the server is closing the session.
    return got < 0 && errno == EAGAIN;  // On Linux EWOULDBLOCK is the same.
}

void mariadb_session::begin_call() {
    call_began_ = std::chrono::steady_clock::now();
    if (late_error_ != 0) {
        const std::string text = late_text_;
        fail(std::exchange(late_error_, 0), text.c_str());
    }
    // Galera may roll a transaction back between two statements. Later statements would then be
    // committed without the earlier ones.
    if (in_transaction_ && (handle_->server_status & SERVER_STATUS_IN_TRANS) == 0)
        throw mariadb_error(sql_failure::conflict, ER_LOCK_DEADLOCK,
                            "the server has ended the transaction");
}

void mariadb_session::fail_later(unsigned error, const char* text) {
    late_error_ = error;
    late_text_ = text;
    if (ends_mariadb_session(error)) broken_ = true;
}

void mariadb_session::leave_transaction() {
    in_transaction_ = false;
    late_error_ = 0;
}

void mariadb_session::fail(unsigned error, const char* text) {
    sql_failure kind = mariadb_kind_of(error);
    if (ends_mariadb_session(error)) {
        broken_ = true;
        const auto took = std::chrono::steady_clock::now() - call_began_;
        if (took >= io_timeout_) kind = sql_failure::busy;
    }
    throw mariadb_error(kind, error, fmt::format("{} (error {})", text, error));
}

void mariadb_session::query(std::string_view sql) {
    MYSQL* m = handle_.get();
    begin_call();
    if (mysql_real_query(m, sql.data(), sql.size()) != 0) fail(mysql_errno(m), mysql_error(m));
    do {
        if (MYSQL_RES* rows = mysql_store_result(m)) mysql_free_result(rows);
    } while (mysql_next_result(m) == 0);
    if (mysql_errno(m) != 0) fail(mysql_errno(m), mysql_error(m));
}

}  // namespace floodgate::store
