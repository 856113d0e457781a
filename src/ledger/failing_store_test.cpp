// When the database fails, the ledger does a thing completely or not at all.

#include <fstream>

#include "ledger/ledger_fixture.hpp"
#include "ledger/tampered_database.hpp"
#include "store/sql/sqlite_database.hpp"

namespace floodgate::ledger {
namespace {

using testing::IsEmpty;

// One batch that takes every path through enter(): plain, known, no stock, limit, unknown sale.
struct eventful_batch {
    explicit eventful_batch(book_verbs& verbs) {
        const auto plain = verbs.add_sale(), narrow = verbs.add_sale({.stock = 2}),
                   wide = verbs.add_sale({.stock = 9, .limit = 3});
        const auto known = verbs.promise(plain, 1);
        verbs.enter({known});
        batch = {known,
                 verbs.promise(plain, 2),
                 verbs.promise(plain, 2),
                 verbs.promise(narrow, 1),
                 verbs.promise(narrow, 2),
                 verbs.promise(narrow, 3),
                 verbs.promise(wide, 1, 3),
                 verbs.promise(wide, 1),
                 verbs.promise({999}, 1)};
        last = {verbs.entered().value + batch.size()};
    }
    std::vector<sale::promise> batch;
    sale::sequence last;
};

// Orders, units held, log lines and the position in one figure each.
std::vector<std::int64_t> sums(book_verbs& verbs) {
    return {verbs.number("SELECT COUNT(*) FROM orders"),
            verbs.number("SELECT SUM(held) FROM sales"),
            verbs.number("SELECT COUNT(*) FROM stock_log"),
            verbs.number("SELECT position FROM journal_position")};
}

class FailingStoreContractTest : public testing::TestWithParam<database_kind> {
protected:
    std::unique_ptr<store::database> open() {
        auto real = GetParam().open(directory_);
        how_->dialect = real->speaks();
        return tamper(std::move(real), how_);
    }

    scratch_directory directory_;
    std::shared_ptr<tampering> how_ = std::make_shared<tampering>();
    book_verbs verbs_{open()};
};
INSTANTIATE_TEST_SUITE_P(Over, FailingStoreContractTest, testing::ValuesIn(databases()), name_of);

TEST_P(FailingStoreContractTest, AFailureAtAnyStatementOfABatchLeavesNothingOfIt) {
    const eventful_batch b(verbs_);
    const auto before = sums(verbs_);
    int failures = 0;
    for (int at = 1;; ++at, ++failures) {
        int countdown = at;
        how_->before = [&] {
            if (--countdown == 0) throw store::sql_error(store::sql_failure::other, "as told");
        };
        const auto got = verbs_.book().orders().enter(b.batch, b.last);
        how_->before = nullptr;
        if (countdown > 0) break;
        ASSERT_EQ(outcome(got), errc::store_unavailable) << "statement " << at;
        ASSERT_EQ(sums(verbs_), before) << "statement " << at;
    }
    EXPECT_GT(failures, 20);
    EXPECT_EQ(sums(verbs_)[1], 1 + 1 + 2 + 3);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(FailingStoreContractTest, ACommitWhoseAnswerWasLostIsFoundByTheNextTry) {
    const eventful_batch b(verbs_);
    how_->after = [](std::string_view sql) {
        if (sql == "COMMIT") throw store::sql_error(store::sql_failure::other, "connection lost");
    };
    EXPECT_EQ(outcome(verbs_.book().orders().enter(b.batch, b.last)), errc::store_unavailable);
    how_->after = nullptr;
    const auto after = sums(verbs_);
    const auto again = verbs_.book().orders().enter(b.batch, b.last).value();
    EXPECT_EQ(again.known, b.batch.size());
    EXPECT_EQ(sums(verbs_), after);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(FailingStoreContractTest, EveryCallSaysSoWhenTheStoreIsGone) {
    const auto sale = verbs_.add_sale();
    how_->before = [] { throw store::sql_error(store::sql_failure::busy, "as told"); };
    auto& book = verbs_.book();
    const auto gone = make_error_code(errc::store_unavailable);
    sale::round window{{}, "", noon, noon + milliseconds(1)};
    sale::sale s;
    s.id = sale;
    EXPECT_EQ(outcome(book.catalogue().add_product({})), gone);
    EXPECT_EQ(outcome(book.catalogue().update_product({})), gone);
    EXPECT_EQ(outcome(book.catalogue().products()), gone);
    EXPECT_EQ(outcome(book.catalogue().products({}, 1)), gone);
    EXPECT_EQ(outcome(book.catalogue().find_product({1})), gone);
    EXPECT_EQ(outcome(book.catalogue().add_round(window)), gone);
    EXPECT_EQ(outcome(book.catalogue().update_round(window)), gone);
    EXPECT_EQ(outcome(book.catalogue().rounds()), gone);
    EXPECT_EQ(outcome(book.catalogue().rounds({}, 1)), gone);
    EXPECT_EQ(outcome(book.catalogue().find_round({1})), gone);
    EXPECT_EQ(outcome(book.catalogue().add_sale(s, noon)), gone);
    EXPECT_EQ(outcome(book.catalogue().update_sale_terms(s)), gone);
    EXPECT_EQ(outcome(book.catalogue().set_sale_state(sale, sale::sale_state::ended)), gone);
    EXPECT_EQ(outcome(book.catalogue().sales()), gone);
    EXPECT_EQ(outcome(book.catalogue().sales({}, 1)), gone);
    EXPECT_EQ(outcome(book.catalogue().find_sale(sale)), gone);
    EXPECT_EQ(outcome(book.catalogue().change_stock(sale, 1, "", noon)), gone);
    EXPECT_EQ(outcome(book.catalogue().figures()), gone);
    EXPECT_EQ(outcome(book.catalogue().find_figures(sale)), gone);
    EXPECT_EQ(outcome(book.catalogue().stock_log(sale, 1)), gone);
    EXPECT_EQ(outcome(book.users().add({})), gone);
    EXPECT_EQ(outcome(book.users().find("13800000000")), gone);
    EXPECT_EQ(outcome(book.users().find(sale::user_id{1})), gone);
    EXPECT_EQ(outcome(book.users().any_admin()), gone);
    EXPECT_EQ(outcome(book.users().set_password_hash({1}, "")), gone);
    EXPECT_EQ(outcome(book.users().add_login({})), gone);
    EXPECT_EQ(outcome(book.users().remove_login({})), gone);
    EXPECT_EQ(outcome(book.users().prune_logins(noon)), gone);
    EXPECT_EQ(outcome(book.users().for_each_login(noon, [](const auto&) {})), gone);
    EXPECT_EQ(outcome(book.users().add_many({}, {})), gone);
    EXPECT_EQ(outcome(book.orders().enter({}, sale::sequence{9})), gone);
    EXPECT_EQ(outcome(book.orders().position()), gone);
    EXPECT_EQ(outcome(book.orders().find({1})), gone);
    EXPECT_EQ(outcome(book.orders().of_buyer({1}, {}, 1)), gone);
    EXPECT_EQ(outcome(book.orders().for_each_held([](const auto&) {})), gone);
    EXPECT_EQ(outcome(book.orders().latest_number()), gone);
    EXPECT_EQ(outcome(book.orders().check()), gone);
    EXPECT_EQ(outcome(book.letters().put_aside({}, sale::sequence{9}, {})), gone);
    EXPECT_EQ(outcome(book.letters().due(noon, 1)), gone);
    EXPECT_EQ(outcome(book.letters().replay(1, {}, noon)), gone);
    EXPECT_EQ(outcome(book.letters().set_back(1, {})), gone);
    EXPECT_EQ(outcome(book.letters().discard(1, {}, "", noon)), gone);
    EXPECT_EQ(outcome(book.letters().find(1)), gone);
    EXPECT_EQ(outcome(book.letters().list({}, 0, 1)), gone);
    EXPECT_EQ(outcome(book.letters().for_each_open([](const auto&) {})), gone);
    EXPECT_EQ(outcome(book.letters().count()), gone);
    EXPECT_EQ(outcome(book.tallies().take()), gone);
    EXPECT_EQ(outcome(book.tallies().explain(sale)), gone);
    EXPECT_EQ(outcome(book.tallies().for_each_held(sale, [](const auto&) {})), gone);
    EXPECT_EQ(outcome(book.tallies().repair(sale, "", noon)), gone);
    EXPECT_EQ(outcome(book.audit().add({})), gone);
    EXPECT_EQ(outcome(book.audit().list(0, 1)), gone);
}

TEST(FailingSqliteTest, LockedByAnotherProcessItIsUnavailableAndThenWorks) {
    const scratch_directory directory;
    const auto open = [&] {
        return store::open_sqlite(
            {.path = directory.file("l.db"), .busy_timeout = milliseconds(20)});
    };
    book_verbs verbs(open());
    const eventful_batch b(verbs);
    const auto before = sums(verbs);
    const auto intruder = open();
    {
        const auto c = intruder->writer();
        const store::transaction lock(*c, store::access::write);
        EXPECT_EQ(outcome(verbs.book().orders().enter(b.batch, b.last)), errc::store_unavailable);
        EXPECT_EQ(outcome(verbs.book().users().add({})), errc::store_unavailable);
        EXPECT_EQ(sums(verbs), before);
    }
    EXPECT_EQ(outcome(verbs.book().orders().enter(b.batch, b.last)), fine);
    EXPECT_THAT(verbs.check(), IsEmpty());
}

TEST(FailingSqliteTest, WithTheDiskFullNothingIsEnteredUntilThereIsRoom) {
    const scratch_directory directory;
    book_verbs verbs(store::open_sqlite({.path = directory.file("l.db")}));
    const auto sale = verbs.add_sale({.stock = 5000});
    std::vector<sale::promise> batch;
    for (int buyer = 1; buyer <= 2000; ++buyer) batch.push_back(verbs.promise(sale, buyer));
    const auto before = sums(verbs);
    const auto pages = verbs.number("PRAGMA page_count");
    verbs.sql("PRAGMA max_page_count = " + std::to_string(pages + 5));
    EXPECT_EQ(outcome(verbs.book().orders().enter(batch, sale::sequence{2000})),
              errc::store_unavailable);
    EXPECT_EQ(sums(verbs), before);
    EXPECT_THAT(verbs.check(), IsEmpty());

    verbs.sql("PRAGMA max_page_count = 1000000");
    EXPECT_EQ(verbs.book().orders().enter(batch, sale::sequence{2000}).value().entered, 2000U);
    EXPECT_EQ(verbs.held(sale), 2000);
    EXPECT_THAT(verbs.check(), IsEmpty());
}

TEST(FailingSqliteTest, ADamagedFileIsCalledCorrupt) {
    const scratch_directory directory;
    {
        book_verbs verbs(store::open_sqlite({.path = directory.file("l.db")}));
        const auto sale = verbs.add_sale({.stock = 5000});
        std::vector<sale::promise> batch;
        for (int buyer = 1; buyer <= 2000; ++buyer) batch.push_back(verbs.promise(sale, buyer));
        verbs.enter(batch);
    }
    {
        std::fstream file(directory.file("l.db"), std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(0, std::ios::end);
        const std::streamoff spared = 100L * 4096;  // the schema and the first page of each table
        const std::streamoff rest = file.tellp() - spared;
        file.seekp(spared);
        file << std::string(static_cast<std::size_t>(rest), '\xee');
    }
    book_verbs verbs(store::open_sqlite({.path = directory.file("l.db")}));
    EXPECT_EQ(outcome(verbs.book().orders().for_each_held([](const auto&) {})), errc::corrupt);
}

}  // namespace
}  // namespace floodgate::ledger
