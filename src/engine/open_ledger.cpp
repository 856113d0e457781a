#include "engine/open_ledger.hpp"

#include "store/sql/mariadb_database.hpp"
#include "store/sql/sqlite_database.hpp"

namespace floodgate::engine {

std::unique_ptr<store::database> open_database(const settings& s) {
    if (s.mode == run_mode::embedded) return store::open_sqlite({.path = s.ledger_file()});
    try {
        return store::open_mariadb(s.cluster.mariadb);
    } catch (const store::sql_error& e) {
        throw store::sql_error(e.kind(), std::string("mariadb: ") + e.what());
    }
}

}  // namespace floodgate::engine
