#include "store/sql/test_databases.hpp"

#include <cstdlib>
#include <stdexcept>

#include "store/sql/mariadb_scratch.hpp"
#include "store/sql/sqlite_database.hpp"
#include "store/sql/tampered_database.hpp"

namespace floodgate::store {
namespace {

// Like a database server: several rows in one INSERT.
std::unique_ptr<database> open_in_fours(const scratch_directory&) {
    dialect fours = sqlite_dialect;
    fours.rows_per_insert = 4;
    return tamper(open_sqlite({.path = ":memory:"}),
                  std::make_shared<tampering>(tampering{{}, {}, fours}));
}

std::unique_ptr<database> open_mariadb_scratch(const std::vector<std::string>& when_emptied) {
    static mariadb_scratch scratch;  // one for all tests of this process, emptied before each
    scratch.empty(when_emptied);
    return open_mariadb(scratch.options());
}

}  // namespace

scratch_directory::scratch_directory() {
    std::string pattern = std::filesystem::temp_directory_path() / "floodgate-sql-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
    path_ = pattern;
}

scratch_directory::~scratch_directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::vector<database_kind> test_databases(std::vector<std::string> when_emptied) {
    std::vector<database_kind> all{
        {"SqliteFile",
         [](const scratch_directory& d) { return open_sqlite({.path = d.file("test.db")}); }},
        {"SqliteMemory",
         [](const scratch_directory&) { return open_sqlite({.path = ":memory:"}); }},
        {"SqliteInFours", open_in_fours},
    };
    if (test_server())
        all.push_back({"MariaDb", [again = std::move(when_emptied)](const scratch_directory&) {
                           return open_mariadb_scratch(again);
                       }});
    return all;
}

std::string sqlite_plan(database& db, const std::string& sql) {
    const auto c = db.reader();
    auto rows = c->ask("EXPLAIN QUERY PLAN " + sql);
    std::string all;
    while (rows.next()) all += rows.get<std::string>(3) + "; ";
    return all;
}

std::string name_of(const testing::TestParamInfo<database_kind>& info) { return info.param.name; }

}  // namespace floodgate::store
