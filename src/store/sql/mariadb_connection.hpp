// One connection to a MariaDB or MySQL server.

#pragma once

#include <memory>
#include <string>

#include "store/sql/mariadb_session.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::store {

class mariadb_connection final : public connection {
public:
    // Opens a session and sets it up. Throws sql_error: also when the server is too old, or a
    // Galera node that does not take part in its cluster.
    explicit mariadb_connection(const mariadb_target& target);
    ~mariadb_connection() override;

    void execute(const std::string& sql) override;
    void begin(access mode) override;
    void commit() override;
    void rollback() noexcept override;
    std::int64_t changes() const override { return session_.changes; }
    std::int64_t last_insert_id() const override { return session_.last_insert_id; }
    const dialect& speaks() const override { return mysql_dialect; }

    // Sets what the connection is lent for: reading or writing.
    void allow(access mode) {
        session_.may_write = mode == access::write;
        session_.leave_transaction();
    }
    // Whether it failed for good, or was returned in the middle of a transaction.
    bool broken() const { return session_.broken() || session_.in_transaction(); }
    bool still_open() const { return session_.still_open(); }
    std::string version() const;  // "mariadb 10.11.6"

private:
    std::unique_ptr<statement> prepare(std::string_view sql) override;
    void expect_new_enough();
    void set_up();

    mariadb_session session_;
};

}  // namespace floodgate::store
