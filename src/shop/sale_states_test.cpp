// The brake, and how the desk moves sales between states. api/sale_admin_test.cpp tests which move
// is allowed when.

#include <boost/json/parse.hpp>

#include <future>
#include <thread>

#include "base/eventually.hpp"
#include "ledger/fenced_database.hpp"
#include "shop/desk_fixture.hpp"

namespace floodgate::shop {
namespace {

using enum sale::sale_state;
using ledger::fine;
using ledger::outcome;
using std::chrono::hours;
using std::chrono::seconds;
using strings = std::vector<std::string>;

class BrakeTest : public DeskTest {
protected:
    // From now on the ledger can be read, but sales cannot be changed.
    void sales_cannot_be_changed() {
        how_->after = [](std::string_view sql) {
            if (sql.starts_with("UPDATE sales"))
                throw store::sql_error(store::sql_failure::full, "no room");
        };
    }
    // From now on commits succeed, but their answers get lost.
    void commits_get_lost() {
        how_->after = [](std::string_view sql) {
            if (sql == "COMMIT") throw store::sql_error(store::sql_failure::other, "cut off");
        };
    }

    sale::sale_id sale_ = open_sale();
};

TEST_F(BrakeTest, ClosesTheGateAtOnceAndTheBookFollowsWhenItWorksAgain) {
    ledger_fails();
    const auto done = desk_.pause(sale_, admin_);
    ASSERT_EQ(outcome(done), fine);
    EXPECT_TRUE(done->book_pending);
    EXPECT_EQ(done->gate, fine);
    EXPECT_EQ(done->sale.state, paused);
    EXPECT_EQ(buy(sale_, 1), sale::answer::paused);

    step_after(seconds(1));
    ledger_works();
    EXPECT_EQ(in_book(sale_), published);
    EXPECT_EQ(buy(sale_, 1), sale::answer::paused);
    EXPECT_EQ(node_.catalogue_changes, 0);

    const instant asked = ledger::noon;
    step_after(seconds(10));
    EXPECT_EQ(in_book(sale_), paused);
    EXPECT_EQ(buy(sale_, 1), sale::answer::paused);
    EXPECT_EQ(node_.catalogue_changes, 1);
    step_after(seconds(10));
    ASSERT_EQ(actions(), strings{"sale.paused"}) << "once";
    EXPECT_EQ(audit()[0].who, admin_.who);
    EXPECT_EQ(audit()[0].at, asked) << "when it was asked for, not when it could be written";
    EXPECT_EQ(boost::json::parse(audit()[0].details).at("before").at("state").as_string(),
              "published");
}

TEST_F(BrakeTest, WorksWithALedgerThatCanOnlyBeRead) {
    sales_cannot_be_changed();
    EXPECT_TRUE(desk_.end(sale_, admin_).value().book_pending);
    EXPECT_EQ(buy(sale_, 1), sale::answer::ended);
    how_->after = {};
    step_after(seconds(1));
    EXPECT_EQ(in_book(sale_), ended);
    EXPECT_EQ(actions(), strings{"sale.ended"});
}

TEST_F(BrakeTest, DoesNotWaitForAChangeThatWaitsForTheLedger) {
    std::promise<void> waiting, go_on;
    how_->before = [&, first = true]() mutable {
        if (!std::exchange(first, false)) return;
        waiting.set_value();
        go_on.get_future().wait();
    };
    std::jthread change([&] {
        EXPECT_EQ(outcome(desk_.change_terms(sale_, {.price = sale::fen{1}}, admin_)), fine);
    });
    waiting.get_future().wait();
    std::jthread brake([&] { EXPECT_EQ(outcome(desk_.pause(sale_, admin_)), fine); });
    EXPECT_TRUE(eventually([&] { return buy(sale_, 1) == sale::answer::paused; }));
    go_on.set_value();
    change.join();
    brake.join();
    EXPECT_EQ(buy(sale_, 2), sale::answer::paused) << "the change was told to the gate after it";
    EXPECT_EQ(in_book(sale_), paused);
}

TEST_F(BrakeTest, TriesLessAndLessOften) {
    ledger_fails();
    ASSERT_TRUE(desk_.pause(sale_, admin_).value().book_pending);
    desk_.step();  // also looks at the catalogue, every five seconds
    int asked = 0;
    how_->before = [&] {
        ++asked;
        throw store::sql_error(store::sql_failure::other, "the disk is gone");
    };
    step_after(milliseconds(499));
    EXPECT_EQ(asked, 0);
    step_after(milliseconds(1));
    EXPECT_EQ(asked, 1);
    step_after(milliseconds(999));
    EXPECT_EQ(asked, 1);
    step_after(milliseconds(1));
    EXPECT_EQ(asked, 2);
}

TEST_F(BrakeTest, IsNotReleasedByAWarmUpFromAStaleRead) {
    sales_cannot_be_changed();
    ASSERT_TRUE(desk_.pause(sale_, admin_).value().book_pending);
    EXPECT_EQ(desk_.warm_up(sale_, admin_).value().state, published) << "as the book has it";
    EXPECT_EQ(buy(sale_, 1), sale::answer::paused);
    EXPECT_EQ(outcome(desk_.warm_up_all(admin_)), fine);
    EXPECT_EQ(buy(sale_, 1), sale::answer::paused);
    how_->after = {};
    EXPECT_EQ(outcome(desk_.change_terms(sale_, {.price = sale::fen{1}}, admin_)), fine);
    EXPECT_EQ(outcome(desk_.change_stock(sale_, {.delta = 1}, admin_)), fine);
    EXPECT_EQ(buy(sale_, 1), sale::answer::paused);
}

TEST_F(BrakeTest, ResumingTakesBackAPauseThatTheBookDoesNotHaveYet) {
    ledger_fails();
    ASSERT_TRUE(desk_.pause(sale_, admin_).value().book_pending);
    EXPECT_EQ(outcome(desk_.resume(sale_, admin_)), errc::store_unavailable);
    EXPECT_EQ(buy(sale_, 1), sale::answer::paused) << "opening needs the book";
    ledger_works();
    EXPECT_EQ(outcome(desk_.resume(sale_, admin_)), fine);
    EXPECT_EQ(buy(sale_, 1), sale::answer::accepted);
    step_after(seconds(60));
    EXPECT_EQ(in_book(sale_), published);
    EXPECT_EQ(buy(sale_, 2), sale::answer::accepted);
    EXPECT_EQ(actions(), strings{"sale.resumed"});
}

TEST_F(BrakeTest, AskingAgainWritesTheBookAtOnceAndOneLine) {
    ledger_fails();
    ASSERT_TRUE(desk_.pause(sale_, admin_).value().book_pending);
    ASSERT_TRUE(desk_.pause(sale_, {.who = {8}}).value().book_pending);
    ledger_works();
    EXPECT_FALSE(desk_.pause(sale_, {.who = {9}}).value().book_pending);
    EXPECT_EQ(in_book(sale_), paused);
    step_after(seconds(60));
    EXPECT_EQ(actions(), strings{"sale.paused"});
    EXPECT_EQ(audit()[0].who, admin_.who) << "the first to ask";
}

TEST_F(BrakeTest, AnEndReplacesAPendingPauseAndIsForGood) {
    ledger_fails();
    ASSERT_TRUE(desk_.pause(sale_, admin_).value().book_pending);
    ASSERT_TRUE(desk_.end(sale_, admin_).value().book_pending);
    EXPECT_EQ(buy(sale_, 1), sale::answer::ended);
    ledger_works();
    EXPECT_EQ(outcome(desk_.pause(sale_, admin_)), errc::conflict);
    EXPECT_EQ(outcome(desk_.resume(sale_, admin_)), errc::conflict);
    EXPECT_EQ(buy(sale_, 1), sale::answer::ended);
    step_after(seconds(60));
    EXPECT_EQ(in_book(sale_), ended);
    EXPECT_EQ(actions(), strings{"sale.ended"});
}

TEST_F(BrakeTest, WritesItsLineAlsoWhenNobodyHeardThatTheBookTookIt) {
    commits_get_lost();
    ASSERT_TRUE(desk_.pause(sale_, admin_).value().book_pending);
    how_->after = {};
    EXPECT_EQ(in_book(sale_), paused);
    step_after(seconds(1));
    EXPECT_EQ(actions(), strings{"sale.paused"});
    EXPECT_EQ(boost::json::parse(audit()[0].details).at("before").at("state").as_string(),
              "published");
}

TEST_F(BrakeTest, WritesTheBookWhenTheGateCannotBeToldAndTellsItLater) {
    gate_.away = true;
    const auto done = desk_.pause(sale_, admin_);
    ASSERT_EQ(outcome(done), fine);
    EXPECT_EQ(done->gate, errc::store_unavailable);
    EXPECT_FALSE(done->book_pending);
    EXPECT_EQ(in_book(sale_), paused);
    EXPECT_EQ(buy(sale_, 1), sale::answer::accepted);
    ledger_fails();
    EXPECT_EQ(desk_.pause(sale_, admin_)->gate, errc::store_unavailable) << "still open";
    ledger_works();
    gate_.away = false;
    step_after(seconds(10));
    EXPECT_EQ(buy(sale_, 2), sale::answer::paused);
    step_after(seconds(60));
    EXPECT_EQ(actions(), strings{"sale.paused"});
}

TEST_F(BrakeTest, SaysSoWhenNeitherCanBeReached) {
    gate_.away = true;
    ledger_fails();
    const auto done = desk_.pause(sale_, admin_);
    ASSERT_EQ(outcome(done), fine);
    EXPECT_EQ(done->gate, errc::store_unavailable);
    EXPECT_TRUE(done->book_pending);
    gate_.away = false;
    step_after(seconds(1));
    EXPECT_EQ(buy(sale_, 1), sale::answer::paused) << "the gate does not wait for the book";
}

// Otherwise step() could overtake a pause that waits for the lock, and both would write the line.
TEST_F(BrakeTest, IsNotDueBeforeTheOneWhoAskedHasTriedTheBook) {
    sale_brake brake(gate_);
    brake.remember(book_.catalogue().find_sale(sale_).value());
    ASSERT_TRUE(brake.close_at_once(sale_, {.to = paused, .by = admin_, .at = ledger::noon}));
    EXPECT_TRUE(brake.due(ledger::noon + hours(1)).empty());
    brake.postpone(sale_, ledger::noon);
    EXPECT_EQ(brake.due(ledger::noon + seconds(1)), std::vector{sale_});
}

TEST_F(BrakeTest, AnEndThatComesWhileThePauseIsWrittenIsNotForgotten) {
    sale_brake brake(gate_);
    sale::sale s = book_.catalogue().find_sale(sale_).value();
    brake.remember(s);
    ASSERT_TRUE(brake.close_at_once(sale_, {.to = paused, .by = admin_, .at = ledger::noon}));
    ASSERT_TRUE(brake.close_at_once(sale_, {.to = ended, .by = admin_, .at = ledger::noon}));
    s.state = paused;
    EXPECT_EQ(outcome(brake.finish(s, paused, ledger::noon)), fine);
    EXPECT_EQ(brake.pending(sale_)->what.to, ended);
    EXPECT_EQ(buy(sale_, 1), sale::answer::ended);
    s.state = ended;
    EXPECT_EQ(outcome(brake.finish(s, ended, ledger::noon)), fine);
    EXPECT_FALSE(brake.pending(sale_));
}

TEST_F(BrakeTest, LetsTheBookHaveTheLastWord) {
    ledger_fails();
    ASSERT_TRUE(desk_.pause(sale_, admin_).value().book_pending);
    ledger_works();
    // Another node ends the sale.
    ASSERT_EQ(outcome(book_.catalogue().set_sale_state(sale_, ended)), fine);
    step_after(seconds(1));
    EXPECT_EQ(buy(sale_, 1), sale::answer::ended);
    EXPECT_EQ(in_book(sale_), ended);
    EXPECT_EQ(actions(), strings{});
}

TEST_F(BrakeTest, KnowsSalesOfOtherNodesFromItsRegularLook) {
    const auto other = verbs_.add_sale();
    ledger_fails();
    EXPECT_EQ(outcome(desk_.pause(other, admin_)), errc::store_unavailable) << "not known yet";
    ledger_works();
    desk_.step();
    ledger_fails();
    EXPECT_TRUE(desk_.pause(other, admin_).value().book_pending);
    EXPECT_EQ(buy(other, 1), sale::answer::paused);
}

TEST_F(BrakeTest, KeepsTheGatesStockWhenTheGateHasPromisedMoreThanTheBookHas) {
    for (std::int64_t buyer = 1; buyer <= 5; ++buyer) buy(sale_, buyer);
    verbs_.sql("UPDATE sales SET stock = 3");
    const auto done = desk_.pause(sale_, {.why = "it does not add up"});
    ASSERT_EQ(outcome(done), fine);
    EXPECT_EQ(done->gate, fine);
    EXPECT_EQ(buy(sale_, 6), sale::answer::paused);
    EXPECT_EQ(turnstile_.look_up(sale_)->stock, 5) << "the difference stays to be seen";
}

TEST_F(BrakeTest, FloodgateItselfUsesTheSameVerbAndSaysWhy) {
    EXPECT_EQ(outcome(desk_.pause(sale_, {.why = "it does not add up"})), fine);
    EXPECT_EQ(outcome(desk_.pause(sale_, {.why = "it does not add up"})), fine);
    ASSERT_EQ(actions(), strings{"sale.paused"}) << "the second time nothing was to be done";
    EXPECT_EQ(audit()[0].who, sale::user_id{});
    EXPECT_EQ(boost::json::parse(audit()[0].details).at("why").as_string(), "it does not add up");
}

TEST_F(BrakeTest, ANodeThatIsNoLongerOnDutyLeavesTheSaleAsTheBookHasIt) {
    ledger::ledger not_ours(ledger::fenced(verbs_.db(), [] { return std::nullopt; }));
    EXPECT_EQ(outcome(desk_.pause(sale_, {.why = "it differs", .book = &not_ours})), errc::fenced);
    EXPECT_EQ(in_book(sale_), published);
    EXPECT_EQ(buy(sale_, 1), sale::answer::accepted);
    step_after(seconds(60));
    EXPECT_EQ(in_book(sale_), published);
}

TEST_F(BrakeTest, RefusesWhatIsNotThereOrNotOpen) {
    EXPECT_EQ(outcome(desk_.pause({99}, admin_)), errc::not_found);
    verbs_.sql("UPDATE sales SET state = 'draft'");
    desk_.step();
    EXPECT_EQ(outcome(desk_.pause(sale_, admin_)), errc::conflict);
    EXPECT_EQ(actions(), strings{});
    EXPECT_EQ(node_.catalogue_changes, 0);
}

}  // namespace
}  // namespace floodgate::shop
