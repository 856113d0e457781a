// MariaDB or MySQL as the database, alone or as a Galera cluster: a pool of connections.
//
// A lost connection is replaced: idle ones are checked before they are lent, and when one is found
// dead, all idle ones are dropped. The caller has to repeat a transaction that failed.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "store/sql/sql.hpp"

namespace floodgate::store {

struct mariadb_options {
    // HOST:PORT, [IPV6]:PORT or the path of a Unix socket; the next when one does not answer.
    std::vector<std::string> addresses;
    std::string user;
    std::string password;
    std::string database = "floodgate";  // created when it is missing and the user may
    std::size_t connections_max = 16;    // writers and readers together; one more waits
    std::chrono::seconds connect_timeout{3};
    // The limit of each read and write, so that a stopped server does not hold a thread for ever.
    // Longer than the wait for a lock (3 s).
    std::chrono::seconds io_timeout{6};
};

// Throws sql_error with one clear line: no answer, wrong user or password, no such database,
// too old.
std::unique_ptr<database> open_mariadb(const mariadb_options& options);

}  // namespace floodgate::store
