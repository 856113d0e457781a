#include "commands/check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <stdexcept>

#include "journal/journal.hpp"
#include "ledger/ledger_fixture.hpp"
#include "points/account_book.hpp"
#include "store/files/posix_files.hpp"
#include "store/sql/sqlite_database.hpp"

namespace floodgate::commands {
namespace {

namespace fs = std::filesystem;
using promises = std::vector<sale::promise>;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t small_segments = 1024;

// The data directory of a server that has stopped.
class CheckTest : public testing::Test {
protected:
    CheckTest() {
        fs::create_directory(data_);
        book_.emplace(store::open_sqlite({.path = data_ + "/ledger.db"}));
    }
    // As a server does at its start; what is promised is durable, and not in the ledger.
    void promise_all(const promises& all) {
        journal::journal line(files_, {journal_, small_segments}, {0}, known_as());
        ASSERT_TRUE(book_->book().orders().remember_journal(line.id()));
        for (const sale::promise& p : all) {
            line.append(p);
            line.commit();
        }
        line.stop();
    }
    std::uint64_t known_as() { return book_->book().orders().journal_id().value(); }
    promises promised(sale::sale_id sale, std::int64_t buyers) {
        promises out;
        for (std::int64_t buyer = 1; buyer <= buyers; ++buyer)
            out.push_back(book_->promise(sale, buyer));
        return out;
    }
    std::vector<std::string> check() { return check_data(data_); }
    std::string why_not() {
        try {
            check();
            return "";
        } catch (const std::runtime_error& e) {
            return e.what();
        }
    }

    ledger::scratch_directory directory_;
    const std::string data_ = directory_.file("data"), journal_ = data_ + "/journal";
    store::posix_files files_;
    std::optional<ledger::book_verbs> book_;
};

TEST_F(CheckTest, AWholeDirectoryIsFineWhetherItsPromisesAreEnteredOrNot) {
    const auto all = promised(book_->add_sale({.stock = 3}), 3);
    EXPECT_THAT(check(), IsEmpty()) << "before the first start";
    promise_all(all);
    EXPECT_THAT(check(), IsEmpty());
    book_->enter({all[0]});
    EXPECT_THAT(check(), IsEmpty());
    book_->enter({all[1], all[2]});
    EXPECT_THAT(check(), IsEmpty());
}

TEST_F(CheckTest, ThePointsBesideTheLedgerMustAddUp) {
    const auto db = store::open_sqlite({.path = data_ + "/points.db"});
    points::account_book accounts(*db);
    accounts.grant({{7}, {100}, "a gift", {1}, "g"}, ledger::noon).value();
    EXPECT_THAT(check(), IsEmpty());
    db->writer()->run("UPDATE points_accounts SET available = 101");
    EXPECT_THAT(check(), Contains(HasSubstr("points: ")));
    EXPECT_THAT(check_data(data_, points_place::elsewhere), IsEmpty()) << "these are not in use";
}

TEST_F(CheckTest, EarnedPointsAreTheSameInTheLedgerAndInTheAccounts) {
    const auto sale = book_->add_sale({.earns_points = 5});
    const auto db = store::open_sqlite({.path = data_ + "/points.db"});
    points::account_book accounts(*db);
    const auto all = promised(sale, 4);
    promise_all(all);
    book_->enter(all);
    for (const auto& p : all) book_->book().moves().pay(p.order, "test", ledger::noon).value();
    const auto noted_as = [&](const char* state, const sale::promise& p) {
        book_->sql(fmt::format("UPDATE earnings SET state = '{}' WHERE order_no = {}", state,
                               p.order.value));
    };
    using points::kind;
    EXPECT_THAT(check(), IsEmpty()) << "they are owed";
    for (const auto& p : all) accounts.try_earn(p.order, p.buyer, {5}, ledger::noon).value();
    for (const auto& p : all) noted_as("promised", p);
    EXPECT_THAT(check(), IsEmpty());
    accounts.confirm(all[0].order, kind::earn, ledger::noon).value();
    accounts.cancel(all[1].order, kind::earn, ledger::noon).value();
    EXPECT_THAT(check(), IsEmpty()) << "the accounts are one step ahead";
    noted_as("given", all[0]);
    noted_as("gone", all[1]);
    EXPECT_THAT(check(), IsEmpty());

    noted_as("gone", all[0]);
    noted_as("given", all[1]);
    book_->sql("UPDATE earnings SET points = 6 WHERE order_no = 1003");
    book_->sql("DELETE FROM earnings WHERE order_no = 1004");
    EXPECT_THAT(
        check(),
        ElementsAre("5 points earned with order 1001 are gone, but the accounts have them: "
                    "confirmed",
                    "5 points earned with order 1002 are given, but the accounts did not give "
                    "them: cancelled",
                    "6 points earned with order 1003 are promised, but the accounts have 5 points "
                    "of user 3",
                    "points earned with order 1004: the accounts have 5 of user 4, but the ledger "
                    "knows nothing of them"));
    db->writer()->execute("DELETE FROM points_tries WHERE order_no = 1003");
    EXPECT_THAT(check(), Contains("6 points earned with order 1003 are promised, but the accounts "
                                  "do not know them"));
}

TEST_F(CheckTest, WhatAPointsServiceKeepsMustAddUpToo) {
    const std::string data = directory_.file("points");
    fs::create_directory(data);
    engine::settings s;
    s.data = data;
    EXPECT_THROW(check_points_service(s), std::runtime_error) << "it has nothing at all";
    const auto db = store::open_sqlite({.path = data + "/points.db"});
    points::account_book accounts(*db);
    accounts.grant({{7}, {100}, "a gift", {1}, "g"}, ledger::noon).value();
    EXPECT_THAT(check_points_service(s), IsEmpty());
    EXPECT_THROW(check_data(data), std::runtime_error) << "it is no shop";
    db->writer()->run("UPDATE points_accounts SET available = 101");
    EXPECT_THAT(check_points_service(s), Contains(HasSubstr("points: ")));
    const auto held = files_.lock(data);
    EXPECT_THROW(check_points_service(s), std::runtime_error) << "it is in use";
}

TEST_F(CheckTest, PromisesThatAreNotEnteredRespectTheStockBesideTheOrders) {
    const auto all = promised(book_->add_sale({.stock = 2}), 3);
    promise_all(all);
    book_->enter({all[0]});
    EXPECT_THAT(check(), ElementsAre(HasSubstr("promise 3 (order 1003, sale 1, buyer 3): more "
                                               "units than stock")));
}

TEST_F(CheckTest, SoDoLettersThatAreOpen) {
    const sale::sale_id sale = book_->add_sale({.stock = 1});
    const promises both{book_->promise(sale, 1), book_->promise(sale, 2)};
    promise_all(both);
    book_->put_aside(both[0]);
    EXPECT_THAT(check(), ElementsAre(HasSubstr("buyer 2): more units than stock")));
}

TEST_F(CheckTest, AndTheBuyersLimit) {
    const sale::sale_id sale = book_->add_sale({.stock = 10, .limit = 2});
    const promises both{book_->promise(sale, 1, 2), book_->promise(sale, 1)};
    promise_all(both);
    book_->enter({both[0]});
    EXPECT_THAT(check(), ElementsAre(HasSubstr("more units than the buyer's limit")));
}

TEST_F(CheckTest, APromiseOfAnUnknownSaleOrWithAnOldNumberIsNamed) {
    const sale::sale_id sale = book_->add_sale();
    const sale::promise early = book_->promise(sale, 1), late = book_->promise(sale, 2);
    promise_all({late, early, book_->promise({77}, 3)});
    EXPECT_THAT(check(), ElementsAre(HasSubstr("its number is not larger than the one before it"),
                                     HasSubstr("its sale is not in the ledger")));
}

TEST_F(CheckTest, AJournalThatEndsBeforeTheLedgersPositionIsNamed) {
    const auto all = promised(book_->add_sale(), 3);
    promise_all({all[0]});
    book_->enter(all);
    EXPECT_THAT(check(), Contains("the ledger has entered 3 promises, the journal ends at 1"));
}

// M8 of the security review: "all is well", and the server refused to start.
TEST_F(CheckTest, PromisesThatAreMissingBeforeTheFirstSegmentAreNamed) {
    promise_all(promised(book_->add_sale({.stock = 100}), 40));
    EXPECT_THAT(check(), IsEmpty());
    const auto names = files_.list(journal_).value();
    ASSERT_TRUE(files_.remove(journal_ + "/" + names.front()));
    EXPECT_THAT(check(), ElementsAre(HasSubstr("promises between them are missing")));
}

// L17 of the security review.
TEST_F(CheckTest, AMissingJournalOrAnotherLedgersIsNamed) {
    promise_all(promised(book_->add_sale(), 2));
    fs::rename(journal_, data_ + "/kept");
    EXPECT_THAT(check(), ElementsAre(HasSubstr("journal is missing")));
    { const journal::journal other(files_, {journal_, small_segments}, {0}); }
    EXPECT_THAT(check(), ElementsAre(HasSubstr("this is the journal of another ledger")));
}

TEST_F(CheckTest, ADirectoryInUseOrWithoutALedgerIsNotChecked) {
    promise_all({});
    {
        const auto held = files_.lock(journal_);
        EXPECT_THAT(why_not(), HasSubstr("in use by a running server"));
    }
    EXPECT_EQ(why_not(), "");
    book_.reset();
    fs::remove(data_ + "/ledger.db");
    EXPECT_THAT(why_not(), HasSubstr("there is no ledger here"));
}

}  // namespace
}  // namespace floodgate::commands
