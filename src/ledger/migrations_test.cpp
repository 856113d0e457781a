#include "ledger/migrations.hpp"

#include "ledger/ledger_fixture.hpp"
#include "store/sql/sqlite_database.hpp"

namespace floodgate::ledger {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class LedgerMigrationsTest : public testing::Test {
protected:
    std::unique_ptr<store::database> open() const {
        return store::open_sqlite({.path = directory_.file("ledger.db")});
    }
    static std::int64_t number(store::database& db, const char* sql) {
        const auto c = db.reader();
        auto rows = c->ask(sql);
        return rows.next() ? rows.get<std::int64_t>(0) : -1;
    }
    // Every table and index, as it was made.
    static std::string schema(store::database& db) {
        const auto c = db.reader();
        auto rows = c->ask("SELECT type, name, sql FROM sqlite_master ORDER BY name");
        std::string all;
        while (rows.next())
            all += rows.get<std::string>(0) + " " + rows.get<std::string>(1) + " " +
                   rows.get<std::string>(2) + "\n";
        return all;
    }

    scratch_directory directory_;
};

TEST_F(LedgerMigrationsTest, StepsAreNumberedFromOneWithoutGaps) {
    std::int64_t expected = 0;
    for (const migration& step : migrations()) EXPECT_EQ(step.version, ++expected);
}

TEST_F(LedgerMigrationsTest, AnEmptyDatabaseRunsThemAllAndTheSecondTimeNone) {
    const auto db = open();
    EXPECT_EQ(migrate(*db), migrations().size());
    const std::string before = schema(*db);
    const auto writes = number(*db, "PRAGMA data_version");
    EXPECT_EQ(migrate(*db), 0U);
    EXPECT_EQ(schema(*db), before);
    EXPECT_EQ(number(*db, "PRAGMA data_version"), writes) << "something was written";
    EXPECT_EQ(number(*db, "SELECT COUNT(*) FROM schema_version"), 1);
    EXPECT_EQ(number(*db, "SELECT version FROM schema_version"),
              static_cast<std::int64_t>(migrations().size()));
}

TEST_F(LedgerMigrationsTest, VersionOneIsBroughtUpToDateWithWhatIsInIt) {
    std::string fresh;
    {
        const scratch_directory other;
        const auto db = store::open_sqlite({.path = other.file("l.db")});
        migrate(*db);
        fresh = schema(*db);
    }
    {
        const auto db = open();
        EXPECT_EQ(migrate(*db, migrations().first(1)), 1U);
        db->writer()->execute(
            "INSERT INTO orders VALUES (5, 1, 7, 1, 100, 0, 'failed', 'unknown_sale', 0, 0, NULL, "
            "NULL)");
        db->writer()->execute("UPDATE journal_position SET position = 3");
    }
    book_verbs verbs(open());
    EXPECT_EQ(schema(verbs.db()), fresh);
    EXPECT_EQ(verbs.entered(), sale::sequence{3});
    EXPECT_EQ(verbs.book().orders().find({5}).value().reason, "unknown_sale");
    EXPECT_THAT(verbs.check(), IsEmpty());
}

TEST_F(LedgerMigrationsTest, ANewerSchemaIsRefusedInOneClearLine) {
    {
        const auto db = open();
        migrate(*db);
        db->writer()->execute("UPDATE schema_version SET version = 99");
    }
    try {
        const ledger book(open());
        FAIL() << "it was taken";
    } catch (const std::runtime_error& e) {
        EXPECT_THAT(e.what(), HasSubstr("schema version 99"));
        EXPECT_THAT(e.what(), HasSubstr("newer"));
    }
}

TEST_F(LedgerMigrationsTest, AStepThatFailsLeavesNothingBehindAndKeepsTheVersion) {
    const auto db = open();
    migrate(*db);
    const std::string before = schema(*db);
    const std::vector<std::string_view> statements{"CREATE TABLE half (id BIGINT){table_end}",
                                                   "CREATE TABLE nonsense ("};
    std::vector<migration> steps(migrations().begin(), migrations().end());
    steps.push_back({steps.back().version + 1, statements});
    EXPECT_THROW(migrate(*db, steps), store::sql_error);
    EXPECT_EQ(schema(*db), before);
    EXPECT_EQ(migrate(*db), 0U);
}

TEST_F(LedgerMigrationsTest, TheLedgerSaysHowDurableItIs) {
    EXPECT_EQ(ledger(open()).durability(), "sqlite wal synchronous=full");
    EXPECT_EQ(ledger(store::open_sqlite({.path = ":memory:"})).durability(),
              "sqlite in memory: nothing survives");
}

// An index in the wrong order would fail no other test, but it would be too slow in a rush.
TEST_F(LedgerMigrationsTest, TheQuestionsOfEveryRequestUseAnIndex) {
    const auto db = open();
    migrate(*db);
    const auto plan = [&](const std::string& sql) { return store::sqlite_plan(*db, sql); };
    EXPECT_THAT(plan("SELECT order_no, state FROM orders WHERE buyer_id = 1 AND order_no < 99 "
                     "ORDER BY order_no DESC LIMIT 10"),
                HasSubstr("orders_of_buyer (buyer_id=? AND order_no<?"));
    EXPECT_THAT(plan("SELECT SUM(quantity) FROM orders WHERE sale_id = 1 AND buyer_id = 1 AND mark "
                     "IS NOT NULL"),
                HasSubstr("(buyer_id=? AND sale_id=?"));
    EXPECT_THAT(plan("SELECT order_no FROM orders WHERE state = 'unpaid' AND pay_by_ms <= 5 ORDER "
                     "BY pay_by_ms LIMIT 10"),
                HasSubstr("orders_due (state=? AND pay_by_ms<?"));
    EXPECT_THAT(plan("SELECT order_no FROM earnings WHERE state = 'owed' AND due_ms <= 5 ORDER BY "
                     "due_ms LIMIT 10"),
                HasSubstr("earnings_due (state=? AND due_ms<?"));
    EXPECT_THAT(plan("SELECT id FROM users WHERE phone = '1'"), HasSubstr("(phone=?"));
    EXPECT_THAT(plan("SELECT id FROM stock_log WHERE sale_id = 1 ORDER BY id DESC LIMIT 5"),
                HasSubstr("(sale_id=?"));
}

}  // namespace
}  // namespace floodgate::ledger
