// What the book in a database promises beyond the port: its check and its tables.

#include "points/account_book.hpp"

#include "points/accounts_fixture.hpp"
#include "store/sql/migrations.hpp"
#include "store/sql/sqlite_database.hpp"

namespace floodgate::points {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t ann = 7;

class AccountBookContractTest : public testing::TestWithParam<store::database_kind> {
protected:
    void sql(const std::string& text) { db_->writer()->execute(text); }
    // Past the checks that the tables make themselves, as damage would come.
    void force(const std::string& text) {
        const bool mysql = db_->speaks().name == store::mysql_dialect.name;
        const std::string checks =
            mysql ? "SET SESSION check_constraint_checks = " : "PRAGMA ignore_check_constraints = ";
        const auto c = db_->writer();
        c->execute(checks + (mysql ? "0" : "1"));
        c->execute(text);
        c->execute(checks + (mysql ? "1" : "0"));
    }
    findings check() { return book_.check().value(); }
    // 100 granted, 30 spent, 10 of them given back; 20 set aside, 5 promised; an empty cancel.
    void fill() {
        verbs_.grant(ann, 100, "g").value();
        verbs_.buy(1, ann, 30);
        verbs_.give_back(1, ann, 10, "r").value();
        verbs_.spend(2, ann, 20).value();
        verbs_.earn(2, ann, 5).value();
        verbs_.cancel(3).value();
        ASSERT_THAT(check(), IsEmpty());
    }

    store::scratch_directory directory_;
    std::unique_ptr<store::database> db_ = GetParam().open(directory_);
    account_book book_{*db_};
    account_verbs verbs_{book_};
};
INSTANTIATE_TEST_SUITE_P(Over, AccountBookContractTest, testing::ValuesIn(store::test_databases()),
                         store::name_of);

TEST_P(AccountBookContractTest, TheCheckFindsABalanceThatIsNotTheLogs) {
    fill();
    sql("UPDATE points_accounts SET available = available + 1");
    EXPECT_THAT(check(), ElementsAre("account 7: the log ends at available 60 reserved 20 pending "
                                     "5, the account has available 61 reserved 20 pending 5"));
}

TEST_P(AccountBookContractTest, TheCheckFindsPointsThatNoOpenTrySetsAside) {
    fill();
    sql("DELETE FROM points_tries WHERE order_no = 2 AND kind = 'spend'");
    EXPECT_THAT(check(), ElementsAre("account 7: has available 60 reserved 20 pending 5, its open "
                                     "tries say reserved 0 pending 5",
                                     "account 7: log line 5 has no try"));
}

TEST_P(AccountBookContractTest, TheCheckFindsAnAccountBelowZero) {
    fill();
    force("UPDATE points_accounts SET available = -1");
    EXPECT_THAT(check(), ElementsAre(HasSubstr("account 7: the log ends at available 60"),
                                     "account 7: is below zero: available -1 reserved 20 pending "
                                     "5"));
}

TEST_P(AccountBookContractTest, TheCheckFindsMorePointsGivenBackThanSpent) {
    fill();
    force("UPDATE points_tries SET given_back = 31 WHERE order_no = 1");
    EXPECT_THAT(check(), ElementsAre("order 1: 31 of 30 points were given back, the log says 10"));
}

TEST_P(AccountBookContractTest, TheCheckFindsALineThatIsMissing) {
    fill();
    sql("DELETE FROM points_log WHERE line = 4");
    EXPECT_THAT(check(),
                ElementsAre("account 7: log line 5 follows line 3",
                            "account 7: log line 5 starts from available 80 reserved 0 pending 0, "
                            "not from available 70 reserved 0 pending 0",
                            "order 1: 10 of 30 points were given back, the log says 0"));
}

TEST_P(AccountBookContractTest, TheCheckFindsThatTheLastLineIsMissing) {
    fill();
    sql("DELETE FROM points_log WHERE line = 6");
    EXPECT_THAT(check(), ElementsAre(HasSubstr("account 7: the log ends at available 60 reserved "
                                               "20 pending 0, the account has"),
                                     "account 7: counts 6 log lines, the last one is 5",
                                     "order 2: its earn is open, but the log says: nothing"));
}

TEST_P(AccountBookContractTest, TheCheckFindsALineThatDoesNotDoWhatItSays) {
    fill();
    sql("UPDATE points_log SET event = 'granted' WHERE line = 5");
    EXPECT_THAT(check(), ElementsAre(HasSubstr("account 7: log line 5 says granted, but goes from"),
                                     "order 2: its spend is open, but the log says: nothing"));
}

TEST_P(AccountBookContractTest, TheCheckFindsATryInAnotherStateThanItsLog) {
    fill();
    sql("UPDATE points_tries SET state = 'cancelled' WHERE order_no = 1");
    EXPECT_THAT(check(), ElementsAre("order 1: its spend is cancelled, but the log says: "
                                     "spend_tried, spend_confirmed"));
}

TEST_P(AccountBookContractTest, TheCheckFindsATryOfOtherPointsThanItsLog) {
    fill();
    sql("UPDATE points_tries SET points = 31 WHERE order_no = 1");
    EXPECT_THAT(check(), ElementsAre("order 1: its spend is of 31 points of account 7, but not in "
                                     "the log"));
}

TEST_P(AccountBookContractTest, TheCheckFindsLinesAndTriesWithoutAnAccount) {
    fill();
    sql("DELETE FROM points_accounts");
    EXPECT_THAT(
        check(),
        ElementsAre("account 7: there is none, but it has open tries",
                    "account 7: log line 1 has no account", "account 7: log line 2 has no account",
                    "account 7: log line 3 has no account", "account 7: log line 4 has no account",
                    "account 7: log line 5 has no account",
                    "account 7: log line 6 has no account"));
}

TEST_P(AccountBookContractTest, ItsTablesLiveBesideThoseOfOtherFolders) {
    static constexpr std::array<std::string_view, 1> other{
        "CREATE TABLE other_things (id BIGINT NOT NULL PRIMARY KEY){table_end}"};
    const std::array<store::migration, 1> steps{store::migration{1, other}};
    fill();
    store::migrate(*db_, {"other", "other_", steps});
    account_book again(*db_);
    EXPECT_EQ(again.balance_of({ann}).value(), (balance{{60}, {20}, {5}}));
    EXPECT_EQ(store::migrate(*db_, {"other", "other_", steps}), 0U) << "each keeps its version";
}

TEST(AccountBookTest, ANewerSchemaIsRefusedInOneClearLine) {
    const store::scratch_directory directory;
    const auto db = store::open_sqlite({.path = directory.file("points.db")});
    account_book first(*db);
    db->writer()->execute("UPDATE points_schema_version SET version = 99");
    try {
        const account_book second(*db);
        FAIL() << "it was taken";
    } catch (const std::runtime_error& e) {
        EXPECT_THAT(e.what(), HasSubstr("the tables of points have schema version 99"));
    }
}

TEST(AccountBookTest, EveryQuestionUsesAnIndex) {
    const store::scratch_directory directory;
    const auto db = store::open_sqlite({.path = directory.file("points.db")});
    const account_book book(*db);
    const auto plan = [&](const std::string& sql) { return store::sqlite_plan(*db, sql); };
    EXPECT_THAT(plan("SELECT order_no FROM points_tries WHERE state = 'open' AND tried_ms < 5 "
                     "ORDER BY tried_ms, order_no, kind LIMIT 5"),
                testing::AllOf(HasSubstr("(state=? AND tried_ms<?)"),
                               testing::Not(HasSubstr("TEMP B-TREE"))));
    EXPECT_THAT(plan("SELECT line FROM points_log WHERE user_id = 7 AND line < 5 ORDER BY line "
                     "DESC LIMIT 5"),
                HasSubstr("PRIMARY KEY (user_id=? AND line<?)"));
    EXPECT_THAT(plan("SELECT user_id FROM points_log WHERE order_no = 1 AND request = 'r'"),
                HasSubstr("(order_no=? AND request=?)"));
}

}  // namespace
}  // namespace floodgate::points
