// For tests: a new database on the server that FLOODGATE_TEST_MARIADB names, dropped in the end.

#pragma once

#include <optional>
#include <span>
#include <string>

#include "store/sql/mariadb_database.hpp"

namespace floodgate::store {

// HOST:PORT, or several separated by commas (the nodes of a Galera cluster). Empty: tests that need
// a server are skipped. Its user is root with the password "floodgate".
std::optional<std::string> test_server();

class mariadb_scratch {
public:
    mariadb_scratch();
    ~mariadb_scratch();
    mariadb_scratch(const mariadb_scratch&) = delete;
    mariadb_scratch& operator=(const mariadb_scratch&) = delete;

    const mariadb_options& options() const { return options_; }
    // Empties all tables, if there are any, and then runs these statements.
    void empty(std::span<const std::string> when_emptied);

private:
    void drop();

    mariadb_options options_;
};

}  // namespace floodgate::store
