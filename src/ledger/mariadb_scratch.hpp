// For tests: a new database on the server that FLOODGATE_TEST_MARIADB names, dropped in the end.

#pragma once

#include <optional>
#include <string>

#include "store/sql/mariadb_database.hpp"

namespace floodgate::ledger {

// HOST:PORT, or several separated by commas (the nodes of a Galera cluster). Empty: tests that need
// a server are skipped. Its user is root with the password "floodgate".
std::optional<std::string> test_server();

class mariadb_scratch {
public:
    mariadb_scratch();
    ~mariadb_scratch();
    mariadb_scratch(const mariadb_scratch&) = delete;
    mariadb_scratch& operator=(const mariadb_scratch&) = delete;

    const store::mariadb_options& options() const { return options_; }
    void empty();  // like a database on which a ledger has just been created

private:
    void drop();

    store::mariadb_options options_;
};

}  // namespace floodgate::ledger
