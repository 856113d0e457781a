// For tests: every kind of database, empty. A contract suite over SQL runs over all of them.

#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "store/sql/sql.hpp"

namespace floodgate::store {

// A directory for one test, removed in the end.
class scratch_directory {
public:
    scratch_directory();
    ~scratch_directory();
    scratch_directory(const scratch_directory&) = delete;
    scratch_directory& operator=(const scratch_directory&) = delete;
    std::string file(const std::string& name) const { return path_ / name; }

private:
    std::filesystem::path path_;
};

struct database_kind {
    std::string name;
    std::function<std::unique_ptr<database>(const scratch_directory&)> open;

    friend std::ostream& operator<<(std::ostream& out, const database_kind& kind) {
        return out << kind.name;
    }
};

// MariaDB is among them when a test server is there. Its tables are not made again for each test
// but emptied, which is several times faster; `when_emptied` are the statements that the tables
// need then to be as new.
std::vector<database_kind> test_databases(std::vector<std::string> when_emptied = {});

// The steps in which SQLite would run a query.
std::string sqlite_plan(database& db, const std::string& sql);

std::string name_of(const testing::TestParamInfo<database_kind>& info);

}  // namespace floodgate::store
