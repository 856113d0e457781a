#include "store/sql/sqlite_snapshot.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "store/sql/sqlite_database.hpp"
#include "store/sql/test_databases.hpp"

namespace floodgate::store {
namespace {

class SqliteSnapshotTest : public testing::Test {
protected:
    std::string path(const std::string& name) { return directory_.file(name); }
    static std::int64_t rows(database& db) {
        const auto c = db.reader();
        auto found = c->ask("SELECT COUNT(*) FROM t");
        return found.next() ? found.get<std::int64_t>(0) : -1;
    }
    static void add(database& db) { db.writer()->run("INSERT INTO t (n) VALUES (1)"); }

    scratch_directory directory_;
};

TEST_F(SqliteSnapshotTest, CopiesTwoDatabasesOfOneMomentWhileOthersWrite) {
    const auto one = open_sqlite({.path = path("one.db")}),
               two = open_sqlite({.path = path("two.db")});
    for (database* db : {one.get(), two.get()}) {
        db->writer()->execute("CREATE TABLE t (n BIGINT NOT NULL)");
        add(*db);
    }
    sqlite_snapshot then({path("one.db"), path("two.db")});
    then.let_writers_go_on();
    add(*one);
    add(*two);
    then.copy(0, path("copy1.db"));
    add(*two);
    then.copy(1, path("copy2.db"));
    EXPECT_EQ(rows(*one), 2);
    EXPECT_EQ(rows(*open_sqlite({.path = path("copy1.db")})), 1);
    EXPECT_EQ(rows(*open_sqlite({.path = path("copy2.db")})), 1);
    EXPECT_EQ(std::filesystem::status(path("copy1.db")).permissions(),
              std::filesystem::perms(0600));
    EXPECT_THROW(then.copy(0, path("copy1.db")), sql_error) << "never over another file";
}

TEST_F(SqliteSnapshotTest, NobodyWritesUntilTheyAreLetGoOn) {
    const auto db = open_sqlite({.path = path("one.db"), .busy_timeout = milliseconds(1)});
    db->writer()->execute("CREATE TABLE t (n BIGINT NOT NULL)");
    sqlite_snapshot then({path("one.db")});
    EXPECT_THROW(add(*db), sql_error);
    then.let_writers_go_on();
    add(*db);
    EXPECT_EQ(rows(*db), 1);
}

TEST_F(SqliteSnapshotTest, AMissingFileIsNotMade) {
    EXPECT_THROW(sqlite_snapshot({path("none.db")}), sql_error);
    EXPECT_FALSE(std::filesystem::exists(path("none.db")));
}

}  // namespace
}  // namespace floodgate::store
