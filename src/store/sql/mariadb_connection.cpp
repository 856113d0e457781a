#include "store/sql/mariadb_connection.hpp"

#include <fmt/format.h>

#include <mysql.h>

#include "base/log.hpp"
#include "store/sql/mariadb_statement.hpp"

namespace floodgate::store {
namespace {

constexpr unsigned long mariadb_oldest = 100500, mysql_oldest = 80000;

bool is_mariadb(MYSQL* m) { return ::mariadb_connection(m) != 0; }

// Its version number is that of the MySQL it stands in for.
bool is_tidb(MYSQL* m) {
    return std::string_view(mysql_get_server_info(m)).find("TiDB") != std::string_view::npos;
}

std::string value_of(connection& c, std::string_view sql) {
    auto rows = c.ask(sql);
    return rows.next() ? rows.get<std::string>(1) : "";
}

}  // namespace

mariadb_connection::mariadb_connection(const mariadb_target& target) : session_(target) {
    expect_new_enough();
    set_up();
}

mariadb_connection::~mariadb_connection() { forget_statements(); }

std::string mariadb_connection::version() const {
    MYSQL* m = session_.handle();
    const unsigned long number = mysql_get_server_version(m);
    constexpr unsigned long major = 10000, minor = 100;
    return fmt::format("{} {}.{}.{}", is_mariadb(m) ? "mariadb" : "mysql", number / major,
                       number / minor % minor, number % minor);
}

void mariadb_connection::expect_new_enough() {
    MYSQL* m = session_.handle();
    const unsigned long oldest = is_mariadb(m) ? mariadb_oldest : mysql_oldest;
    if (mysql_get_server_version(m) < oldest && !is_tidb(m))
        throw sql_error(sql_failure::other,
                        version() + " is too old: MariaDB 10.5 or MySQL 8.0 is needed");
}

void mariadb_connection::set_up() {
    session_.query(
        "SET SESSION sql_mode = 'STRICT_TRANS_TABLES,STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', "
        "innodb_lock_wait_timeout = 3, lock_wait_timeout = 4, autocommit = 1");
    // Each statement of a write transaction sees what is committed by then, and locks only the rows
    // it found. Rows that must not change between two statements are read FOR UPDATE.
    session_.query("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
    // A machine that hangs in the middle of a transaction must not hold its locks for ever, because
    // another node takes over. MySQL has no such limit.
    if (is_mariadb(session_.handle())) session_.query("SET SESSION idle_transaction_timeout = 20");
    if (value_of(*this, "SHOW VARIABLES LIKE 'wsrep_on'") != "ON") return;
    if (value_of(*this, "SHOW STATUS LIKE 'wsrep_ready'") != "ON")
        throw mariadb_error(sql_failure::other, 0, "this Galera node is not part of its cluster");
    // A read waits until everything that was committed through another Galera node has arrived.
    session_.query("SET SESSION wsrep_sync_wait = 1");
}

void mariadb_connection::execute(const std::string& sql) { session_.query(sql); }

void mariadb_connection::begin(access mode) {
    if (mode == access::write && !session_.may_write)
        throw sql_error(sql_failure::other, "a reader's connection was asked to write");
    if (mode == access::write) {
        session_.query("START TRANSACTION READ WRITE");
    } else {
        session_.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
        session_.query("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
    }
    session_.enter_transaction();
}

void mariadb_connection::commit() {
    session_.query("COMMIT");
    session_.leave_transaction();
}

void mariadb_connection::rollback() noexcept {
    if (!session_.in_transaction()) return;
    session_.leave_transaction();
    try {
        if (!session_.broken()) session_.query("ROLLBACK");
    } catch (const std::exception& e) {
        session_.give_up();  // Its state is unknown.
        log::warning("store.rollback_failed", "error", e.what());
    }
}

std::unique_ptr<statement> mariadb_connection::prepare(std::string_view sql) {
    return prepare_mariadb(session_, sql);
}

}  // namespace floodgate::store
