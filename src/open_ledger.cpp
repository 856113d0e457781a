#include "open_ledger.hpp"

#include "store/mariadb_database.hpp"
#include "store/sqlite_database.hpp"

namespace floodgate {

std::unique_ptr<store::database> open_database(const settings& s) {
    if (s.mode == run_mode::clustered) return store::open_mariadb(s.cluster.mariadb);
    return store::open_sqlite({.path = s.ledger_file()});
}

}  // namespace floodgate
