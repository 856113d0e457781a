// The SQL port and SQLite behind it.

#include "store/sql/sqlite_database.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <thread>

#include "base/eventually.hpp"
#include "store/sql/insert_rows.hpp"

namespace floodgate::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SqliteDatabaseTest : public testing::Test {
protected:
    SqliteDatabaseTest() {
        std::string pattern = std::filesystem::temp_directory_path() / "floodgate-sql-XXXXXX";
        if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no directory");
        directory_ = pattern;
    }
    ~SqliteDatabaseTest() override { std::filesystem::remove_all(directory_); }

    std::string path() const { return directory_ / "a.db"; }
    std::unique_ptr<database> open() const {
        return open_sqlite({.path = path(), .busy_timeout = milliseconds(20)});
    }
    std::unique_ptr<database> open_with_table() const {
        auto db = open();
        db->writer()->execute("CREATE TABLE t (id INTEGER PRIMARY KEY, word TEXT, raw BLOB)");
        return db;
    }
    static std::string pragma(connection& c, const std::string& name) {
        auto rows = c.ask("PRAGMA " + name);
        return rows.next() ? rows.get<std::string>(0) : "";
    }
    static std::vector<std::int64_t> ids(connection& c) {
        std::vector<std::int64_t> all;
        auto rows = c.ask("SELECT id FROM t ORDER BY id");
        while (rows.next()) all.push_back(rows.get<std::int64_t>(0));
        return all;
    }
    // The kind of failure; nothing when there was none.
    template <class Act>
    static std::optional<sql_failure> failure(Act act) {
        try {
            act();
        } catch (const sql_error& e) {
            return e.kind();
        }
        return std::nullopt;
    }

private:
    std::filesystem::path directory_;
};

TEST_F(SqliteDatabaseTest, IsAsDurableAsItSays) {
    const auto db = open();
    EXPECT_EQ(db->durability(), "sqlite wal synchronous=full");
    for (const bool writing : {true, false}) {
        const auto c = writing ? db->writer() : db->reader();
        EXPECT_EQ(pragma(*c, "journal_mode"), "wal");
        EXPECT_EQ(pragma(*c, "synchronous"), "2");
        EXPECT_EQ(pragma(*c, "foreign_keys"), "1");
        EXPECT_EQ(pragma(*c, "busy_timeout"), "20");
    }
    EXPECT_EQ(pragma(*db->writer(), "wal_autocheckpoint"), "16384");
    EXPECT_EQ(pragma(*db->writer(), "journal_size_limit"), std::to_string(16384 * 4096));
}

TEST_F(SqliteDatabaseTest, ItsFilesAreForTheOwnerOnly) {
    const auto db = open_with_table();
    for (const std::string ending : {"", "-wal", "-shm"}) {
        struct stat s {};
        ASSERT_EQ(::stat((path() + ending).c_str(), &s), 0) << ending;
        EXPECT_EQ(s.st_mode & 0777U, 0600U) << ending;
    }
}

TEST_F(SqliteDatabaseTest, TheLogDoesNotGrowWithoutEnd) {
    const auto db = open_sqlite({.path = path(), .checkpoint_pages = 50});
    const auto c = db->writer();
    c->execute("CREATE TABLE t (id INTEGER PRIMARY KEY, word TEXT)");
    const std::string word(3000, 'x');
    for (int i = 0; i < 500; ++i) c->run("INSERT INTO t (word) VALUES (?)", word);
    EXPECT_LT(std::filesystem::file_size(path() + "-wal"), 100U * 4096);
}

TEST_F(SqliteDatabaseTest, EveryTypeComesBackAsItWent) {
    using name_id = tagged<std::uint64_t, struct name_tag>;
    const auto db = open();
    const auto c = db->writer();
    c->execute("CREATE TABLE v (a BIGINT, b TEXT, c BLOB, d BIGINT, e BIGINT, f BIGINT, g TEXT)");
    const std::array<std::byte, 4> raw{std::byte{0}, std::byte{1}, std::byte{0}, std::byte{255}};
    const std::string text("with \0 zero 手", 15);
    c->run("INSERT INTO v VALUES (?, ?, ?, ?, ?, ?, ?)", INT64_MIN, text, raw,
           name_id{0x7fffffffffffffff}, from_ms(1'800'000'000'123), std::optional<int>(), "");
    auto rows = c->ask("SELECT * FROM v");
    ASSERT_TRUE(rows.next());
    std::int64_t a = 0;
    std::string b, g = "?";
    std::array<std::byte, 4> bytes{};
    name_id d;
    instant e;
    std::optional<int> f = 1;
    rows.read(a, b, bytes, d, e, f, g);
    EXPECT_EQ(a, INT64_MIN);
    EXPECT_EQ(b, text);
    EXPECT_EQ(bytes, raw);
    EXPECT_EQ(d.value, 0x7fffffffffffffffU);
    EXPECT_EQ(e, from_ms(1'800'000'000'123));
    EXPECT_FALSE(f);
    EXPECT_EQ(g, "");
    EXPECT_FALSE(rows.asked().is_null(6)) << "an empty text is not NULL";
    EXPECT_FALSE(rows.next());
}

TEST_F(SqliteDatabaseTest, RunTellsHowManyRowsItFound) {
    const auto db = open_with_table();
    const auto c = db->writer();
    c->run("INSERT INTO t (word) VALUES (?)", "a");
    EXPECT_EQ(c->last_insert_id(), 1);
    c->run("INSERT INTO t (word) VALUES (?)", "b");
    EXPECT_EQ(c->last_insert_id(), 2);
    EXPECT_EQ(c->run("UPDATE t SET word = ?", "b"), 2) << "one had the value already";
    EXPECT_EQ(c->run("DELETE FROM t WHERE id = ?", 9), 0);
}

TEST_F(SqliteDatabaseTest, AStatementIsPreparedOnce) {
    const auto db = open_with_table();
    const auto c = db->writer();
    EXPECT_EQ(&c->cached("SELECT id FROM t"), &c->cached(std::string("SELECT id FROM t")));
}

TEST_F(SqliteDatabaseTest, WhatIsNotCommittedIsGone) {
    const auto db = open_with_table();
    {
        const auto c = db->writer();
        const transaction t(*c, access::write);
        c->run("INSERT INTO t (id) VALUES (1)");
    }
    EXPECT_THAT(ids(*db->reader()), IsEmpty());
    {
        const auto c = db->writer();
        c->begin(access::write);  // Left open by mistake: giving the connection back ends it.
        c->run("INSERT INTO t (id) VALUES (2)");
    }
    const auto c = db->writer();
    transaction t(*c, access::write);
    c->run("INSERT INTO t (id) VALUES (3)");
    EXPECT_THAT(ids(*db->reader()), IsEmpty()) << "not before the commit";
    t.commit();
    EXPECT_THAT(ids(*db->reader()), ElementsAre(3));
}

TEST_F(SqliteDatabaseTest, FailuresHaveTheirKinds) {
    const auto db = open_with_table();
    const auto c = db->writer();
    c->execute("CREATE TABLE u (id BIGINT, UNIQUE (id))");
    c->execute("CREATE TABLE f (id BIGINT, FOREIGN KEY (id) REFERENCES t (id))");
    c->run("INSERT INTO t (id) VALUES (1)");
    c->run("INSERT INTO u (id) VALUES (1)");
    const auto run = [&](const char* sql) { return failure([&] { c->run(sql); }); };
    EXPECT_EQ(run("INSERT INTO t (id) VALUES (1)"), sql_failure::constraint_unique);
    EXPECT_EQ(run("INSERT INTO u (id) VALUES (1)"), sql_failure::constraint_unique);
    EXPECT_EQ(run("INSERT INTO f (id) VALUES (7)"), sql_failure::constraint_foreign);
    c->execute("CREATE TABLE r (id INTEGER PRIMARY KEY, n BIGINT NOT NULL CHECK (n < 9))");
    c->execute(
        "CREATE TRIGGER no_seven BEFORE INSERT ON r WHEN NEW.n = 7 BEGIN SELECT RAISE(ABORT, "
        "'poison'); END");
    EXPECT_EQ(run("INSERT INTO r (n) VALUES (9)"), sql_failure::rejected) << "CHECK";
    EXPECT_EQ(run("INSERT INTO r (n) VALUES (NULL)"), sql_failure::rejected) << "NOT NULL";
    EXPECT_EQ(run("INSERT INTO r (n) VALUES (7)"), sql_failure::rejected) << "a trigger";
    EXPECT_EQ(run("INSERT INTO r (id, n) VALUES ('x', 1)"), sql_failure::rejected) << "a mismatch";
    EXPECT_EQ(run("INSERT INTO t (raw) VALUES (zeroblob(2000000000))"), sql_failure::rejected)
        << "too big";
    EXPECT_EQ(run("SELECT nonsense"), sql_failure::other);
    EXPECT_EQ(run("INSERT INTO t (id) VALUES (2)"), std::nullopt) << "and life goes on";

    c->execute("PRAGMA max_page_count = 1");
    const std::string big(100'000, 'x');
    EXPECT_EQ(failure([&] { c->run("INSERT INTO t (word) VALUES (?)", big); }), sql_failure::full);
}

TEST_F(SqliteDatabaseTest, AnotherWriterMakesItBusyButReadersGoOn) {
    const auto mine = open_with_table(), theirs = open();
    const auto holder = theirs->writer();
    transaction t(*holder, access::write);
    holder->run("INSERT INTO t (id) VALUES (1)");
    EXPECT_EQ(failure([&] {
                  const auto c = mine->writer();
                  const transaction blocked(*c, access::write);
              }),
              sql_failure::busy);
    EXPECT_THAT(ids(*mine->reader()), IsEmpty());
    t.commit();
    EXPECT_THAT(ids(*mine->reader()), ElementsAre(1));
}

TEST_F(SqliteDatabaseTest, AReaderCannotWrite) {
    const auto db = open_with_table();
    EXPECT_EQ(failure([&] { db->reader()->run("INSERT INTO t (id) VALUES (1)"); }),
              sql_failure::other);
}

TEST_F(SqliteDatabaseTest, FilesOfOthersAreRefusedAndLeftAlone) {
    {
        std::ofstream(path()) << std::string(8192, 'n');
        EXPECT_EQ(failure([&] { open(); }), sql_failure::corrupt);
        std::filesystem::remove(path());
    }
    open()->writer()->execute("PRAGMA application_id = 77");
    try {
        open();
        FAIL() << "it was taken";
    } catch (const sql_error& e) {
        EXPECT_THAT(e.what(), HasSubstr("not one of Floodgate's"));
    }
    EXPECT_EQ(failure([] { open_sqlite({.path = "/nowhere/at/all.db"}); }), sql_failure::other);
}

TEST_F(SqliteDatabaseTest, WritersTakeTurnsAndReadersWaitForAPlace) {
    const auto db = open_sqlite({.path = path(), .readers_max = 2});
    db->writer()->execute("CREATE TABLE n (count BIGINT)");
    db->writer()->execute("INSERT INTO n VALUES (0)");
    std::atomic<int> reading = 0, most = 0;
    std::vector<std::thread> threads;
    threads.reserve(6);
    for (int t = 0; t < 6; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 20; ++i) {
                db->writer()->run("UPDATE n SET count = count + 1");
                const auto c = db->reader();
                most = std::max(most.load(), ++reading);
                auto rows = c->ask("SELECT count FROM n");
                EXPECT_TRUE(rows.next());
                --reading;
            }
        });
    }
    for (std::thread& t : threads) t.join();
    EXPECT_LE(most, 2);
    const auto c = db->reader();
    auto rows = c->ask("SELECT count FROM n");
    ASSERT_TRUE(rows.next());
    EXPECT_EQ(rows.get<int>(0), 120);
}

TEST_F(SqliteDatabaseTest, KnowsThatAWriterIsAwaited) {
    const auto db = open_sqlite({.path = path()});
    EXPECT_FALSE(db->writer_is_awaited());
    auto held = db->writer();
    EXPECT_FALSE(db->writer_is_awaited()) << "it is held, and that is all";
    std::thread other([&] { db->writer(); });
    EXPECT_TRUE(eventually([&] { return db->writer_is_awaited(); }));
    held.reset();
    other.join();
    EXPECT_FALSE(db->writer_is_awaited());
}

TEST_F(SqliteDatabaseTest, InMemoryItForgets) {
    for (int i = 0; i < 2; ++i) {
        const auto db = open_sqlite({.path = ":memory:"});
        EXPECT_EQ(db->durability(), "sqlite in memory: nothing survives");
        db->writer()->execute("CREATE TABLE t (id BIGINT)");
        EXPECT_THAT(ids(*db->reader()), IsEmpty());
    }
}

TEST_F(SqliteDatabaseTest, InsertRowsHandsOverWhatClashes) {
    const auto db = open_with_table();
    const auto c = db->writer();
    c->run("INSERT INTO t (id) VALUES (3)");
    const std::vector<std::int64_t> wanted{1, 2, 3, 4};
    std::vector<std::int64_t> clashed;
    insert_rows(
        *c, {"t (id, word)", 2}, std::span(wanted),
        [](statement& s, int before, std::int64_t id) { bind_after(s, before, id, "w"); },
        [&](std::span<const std::int64_t> chunk) {
            clashed.insert(clashed.end(), chunk.begin(), chunk.end());
        });
    EXPECT_THAT(clashed, ElementsAre(3));
    EXPECT_THAT(ids(*c), ElementsAre(1, 2, 3, 4));
}

TEST(DialectTest, PutsItsWordsInPlace) {
    EXPECT_EQ(
        adapt("CREATE TABLE t (id {auto_id}, n BIGINT){table_end}", mysql_dialect),
        "CREATE TABLE t (id BIGINT AUTO_INCREMENT PRIMARY KEY, n BIGINT) ENGINE=InnoDB DEFAULT "
        "CHARSET=utf8mb4 COLLATE=utf8mb4_bin");
    EXPECT_EQ(adapt("{insert_ignore} INTO t", sqlite_dialect), "INSERT OR IGNORE INTO t");
    EXPECT_THROW(adapt("{no_such_word}", sqlite_dialect), std::runtime_error);
}

TEST(InsertTextTest, HasAPlaceForEveryValue) {
    EXPECT_EQ(insert_text({"t (a, b)", 2}, 1), "INSERT INTO t (a, b) VALUES (?,?)");
    EXPECT_EQ(insert_text({"t (a)", 1}, 3), "INSERT INTO t (a) VALUES (?),(?),(?)");
}

}  // namespace
}  // namespace floodgate::store
