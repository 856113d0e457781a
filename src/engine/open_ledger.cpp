#include "engine/open_ledger.hpp"

#include "store/sql/mariadb_database.hpp"
#include "store/sql/sqlite_database.hpp"

namespace floodgate::engine {
namespace {

constexpr std::int64_t points_cache_kib = 8192;

std::unique_ptr<store::database> open_server(const store::mariadb_options& o) {
    try {
        return store::open_mariadb(o);
    } catch (const store::sql_error& e) {
        throw store::sql_error(e.kind(), std::string("mariadb: ") + e.what());
    }
}

}  // namespace

std::unique_ptr<store::database> open_database(const settings& s) {
    if (s.mode == run_mode::embedded) return store::open_sqlite({.path = s.ledger_file()});
    return open_server(s.cluster.mariadb);
}

std::unique_ptr<store::database> open_points_database(const settings& s) {
    if (s.mode == run_mode::embedded)
        return store::open_sqlite({.path = s.points_file(), .cache_kib = points_cache_kib});
    store::mariadb_options o = s.cluster.mariadb;
    o.connections_max = points_connections_max;
    return open_server(o);
}

}  // namespace floodgate::engine
