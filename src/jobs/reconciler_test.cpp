#include "jobs/reconciler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <thread>

#include "base/eventually.hpp"
#include "jobs/reconciler_fixture.hpp"

namespace floodgate::jobs {
namespace {

using testing::HasSubstr;

std::string text(sale::order_no no) { return std::to_string(no.value); }

// Five orders of one unit in the ledger, one promise in the line, one letter, and some damage. It
// is found at the third look, named, and the sale is paused once; a repair mends it.
class DamageTest : public ReconcilerTest {
protected:
    DamageTest() {
        for (std::int64_t b = 1; b <= 7; ++b) orders_.push_back(buy(sale_, b));
        other_ = open_sale(3);
        enter(5);
        put_aside_next();
        look();
        EXPECT_FALSE(alarmed());
    }

    void expect_found(const std::string& named) {
        look(2);
        EXPECT_FALSE(alarmed()) << "it might be work in flight";
        EXPECT_TRUE(balance(sale_).differences.empty());
        look();
        ASSERT_TRUE(alarmed());
        EXPECT_EQ(board_.standing()[0].kind, alarm::kind::invariant_breach);
        EXPECT_EQ(board_.standing()[0].subject, fmt::format("sale {}", sale_.value));
        EXPECT_EQ(board_.standing()[0].detail, balance(sale_).differences.at(0));
        EXPECT_EQ(balance(sale_).wrong_since, now_ - milliseconds(1000));
        EXPECT_THAT(all_differences(sale_), HasSubstr(named));
        look(5);
        EXPECT_EQ(paused(), std::vector{sale_});
        EXPECT_EQ(node_.catalogue_changes, 1) << "it was paused once";
        EXPECT_EQ(board_.raised(alarm::kind::invariant_breach), 1U);
        EXPECT_TRUE(balance(other_).differences.empty());
    }

    void expect_repaired(const std::string& done) {
        const auto report = reconciliation_.repair(sale_, "by hand", admin_);
        ASSERT_TRUE(report.has_value()) << report.error().message();
        EXPECT_THAT(report->open, testing::IsEmpty());
        EXPECT_THAT(report->done, testing::Contains(HasSubstr(done)));
        look(2);
        EXPECT_TRUE(alarmed());
        look();
        EXPECT_FALSE(alarmed());
        EXPECT_TRUE(balance(sale_).differences.empty());
        EXPECT_EQ(balance(sale_).wrong_since, never);
        EXPECT_EQ(balance(sale_).off_by(), 0);
        EXPECT_EQ(buy(sale_, 99), sale::order_no{}) << "it stays paused";
        EXPECT_EQ(reconciliation_.explain(sale_).value(), ledger::findings{});
        EXPECT_EQ(verbs_.check(), ledger::findings{});
        const auto again = reconciliation_.repair(sale_, "by hand", admin_);
        EXPECT_TRUE(again->done.empty()) << again->done[0];
        enter();
        look(5);
        EXPECT_FALSE(alarmed()) << "what was in the line fits too";
    }

    sale::sale_id sale_ = open_sale(10);
    sale::sale_id other_;
    std::vector<sale::order_no> orders_;  // five entered, a letter, one queued
};

TEST_F(DamageTest, AnOrderTheGateLost) {
    enter();  // with promises in the line it could be one of those
    release(orders_[2]);
    expect_found("order " + text(orders_[2]) +
                 " of buyer 3: holds 1 unit in the book; the gate does not");
    expect_repaired("order " + text(orders_[2]) + ": the gate holds its 1 unit again");
    EXPECT_EQ(turnstile_.look_up(sale_)->taken, 7);
}

TEST_F(DamageTest, ALetterTheGateLost) {
    enter();
    release(orders_[5]);
    expect_found("order " + text(orders_[5]) + " of buyer 6: holds 1 unit in the book");
    expect_repaired("order " + text(orders_[5]) + ": the gate holds its 1 unit again");
}

TEST_F(DamageTest, ADeletedOrder) {
    sql("DELETE FROM orders WHERE order_no = " + text(orders_[2]));
    expect_found("order " + text(orders_[2]) +
                 " of buyer 3: the gate holds 1 unit for it; the book has no such order");
    expect_repaired("held went from 5 to 4");
    EXPECT_EQ(turnstile_.look_up(sale_)->taken, 6) << "the others, the letter and the queued one";
}

TEST_F(DamageTest, AChangedState) {
    sql("UPDATE orders SET state = 'closed' WHERE order_no = " + text(orders_[2]));
    expect_found("order " + text(orders_[2]) +
                 " of buyer 3: the gate holds 1 unit for it; the book has it as closed");
    expect_repaired("order " + text(orders_[2]) + ": its 1 unit at the gate went back");
}

TEST_F(DamageTest, AChangedHeld) {
    sql(fmt::format("UPDATE sales SET held = held + 2 WHERE id = {}", sale_.value));
    expect_found("the book does not add up: stock 10, held 7; its orders hold 5");
    expect_repaired("held went from 7 to 5");
}

TEST_F(DamageTest, AChangedStock) {
    sql(fmt::format("UPDATE sales SET stock = 15 WHERE id = {}", sale_.value));
    expect_found("the book does not add up: stock 15");
    expect_repaired("the log, which ended at");
    EXPECT_EQ(turnstile_.look_up(sale_)->stock, 15);
}

TEST_F(DamageTest, AStockTheGateWasNotTold) {
    ASSERT_TRUE(book_.catalogue().change_stock(sale_, 5, "more", now_).has_value());
    expect_found("the gate has 10 units in total, the book 15");
    // The pause has told the gate already; it only remains to see that it agrees.
}

// The test holds the ledger's writer, so the change waits between gate and ledger while the
// reconciler looks on.
class SlowDiskTest : public ReconcilerTest {
protected:
    SlowDiskTest() : ReconcilerTest(book_in::file) {}
};

TEST_F(SlowDiskTest, AStockThatIsBeingChangedIsNoBreach) {
    const sale::sale_id sale = open_sale(10);
    auto pen = book_.database().writer();
    std::thread admin([&] {
        EXPECT_TRUE(desk_.change_stock(sale, {.delta = -1, .note = "broken"}, {}).has_value());
    });
    EXPECT_TRUE(eventually([&] { return turnstile_.look_up(sale)->stock == 9; }));
    look(10);
    EXPECT_FALSE(alarmed());
    EXPECT_EQ(desk_.changing_stock(), sale);
    pen.reset();
    admin.join();
    look(3);
    EXPECT_FALSE(alarmed());
    EXPECT_EQ(desk_.changing_stock(), sale::sale_id{});
}

TEST_F(DamageTest, AnOrderClosedWithoutItsUnit) {
    enter();
    verbs_.close(orders_[1]);
    expect_found("order " + text(orders_[1]) +
                 " of buyer 2: the gate holds 1 unit for it; the book has it as closed");
    expect_repaired("order " + text(orders_[1]) + ": its 1 unit at the gate went back");
}

TEST_F(DamageTest, AChangedQuantity) {
    sql("UPDATE orders SET quantity = 2 WHERE order_no = " + text(orders_[0]));
    expect_found("order " + text(orders_[0]) + " of buyer 1: holds 2 units in the book");
    EXPECT_THAT(all_differences(sale_), HasSubstr("the gate holds 1 unit for it"));
    const auto report = reconciliation_.repair(sale_, "by hand", admin_);
    EXPECT_THAT(report->done, testing::Contains(HasSubstr("the gate holds its 2 units again")));
    look(3);
    EXPECT_EQ(balance(sale_).off_by(), 0);
}

TEST_F(DamageTest, IsFoundInTheBookAlsoWhereTheGateHoldsNothing) {
    enter();
    ASSERT_TRUE(desk_.end(sale_, admin_).has_value());
    ASSERT_TRUE(turnstile_.forget({.id = sale_, .revision = 1'000'000}).has_value());
    look(4);
    EXPECT_FALSE(alarmed());
    sql(fmt::format("UPDATE sales SET held = held + 2 WHERE id = {}", sale_.value));
    look(3);
    EXPECT_TRUE(alarmed());
    const auto report = reconciliation_.repair(sale_, "by hand", admin_);
    ASSERT_TRUE(report.has_value());
    EXPECT_EQ(report->done.size(), 2U) << "the log and held, nothing at the gate";
    look(3);
    EXPECT_FALSE(alarmed());
}

TEST_F(DamageTest, NamesTwentyOrdersAndCountsTheRest) {
    const auto big = open_sale(30);
    std::vector<sale::order_no> lost;
    for (std::int64_t b = 1; b <= 25; ++b) lost.push_back(buy(big, b));
    enter();
    look();
    for (const auto no : lost) release(no);
    look(3);
    ASSERT_EQ(balance(big).differences.size(), 1U + 20U + 1U);
    EXPECT_EQ(balance(big).differences.back(), "and 5 more orders");
}

TEST_F(DamageTest, APauseThatFailsAtTheGateIsTriedAgain) {
    sql(fmt::format("UPDATE sales SET held = held + 2 WHERE id = {}", sale_.value));
    gate_.takes_terms = false;
    look(4);
    EXPECT_TRUE(alarmed());
    EXPECT_NE(buy(sale_, 98), sale::order_no{}) << "the gate has not heard of it";
    gate_.takes_terms = true;
    look();
    EXPECT_EQ(buy(sale_, 99), sale::order_no{});
    EXPECT_EQ(paused(), std::vector{sale_});
}

TEST_F(DamageTest, ASaleThatHasEndedCannotBePausedAndIsNotAskedAgain) {
    ASSERT_TRUE(desk_.end(sale_, admin_).has_value());
    sql(fmt::format("UPDATE sales SET held = held + 2 WHERE id = {}", sale_.value));
    look(4);
    EXPECT_TRUE(alarmed());
    sql(fmt::format("UPDATE sales SET state = 'published' WHERE id = {}", sale_.value));
    look(3);
    EXPECT_THAT(paused(), testing::IsEmpty());
}

TEST_F(DamageTest, ANodeThatIsNotOnDutyLeavesThePauseToTheOther) {
    node_.duty = false;
    sql(fmt::format("UPDATE sales SET held = held + 2 WHERE id = {}", sale_.value));
    look(4);
    EXPECT_TRUE(alarmed());
    EXPECT_THAT(paused(), testing::IsEmpty());
    EXPECT_NE(buy(sale_, 99), sale::order_no{});
}

TEST_F(DamageTest, IsExplainedAtOnceWhenAsked) {
    enter();
    release(orders_[2]);
    const auto found = reconciliation_.explain(sale_).value();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_THAT(found[0], HasSubstr(text(orders_[2])));
    EXPECT_EQ(reconciliation_.explain({999}).error(), make_error_code(errc::not_found));
    EXPECT_EQ(reconciliation_.repair({999}, "", admin_).error(), make_error_code(errc::not_found));
}

TEST_F(DamageTest, ARepairCannotTakeWhatIsNotThere) {
    enter();
    release(orders_[0]);
    for (std::int64_t b = 20; b < 24; ++b) buy(sale_, b);  // now the gate has sold it again
    enter();
    look(3);
    const auto report = reconciliation_.repair(sale_, "by hand", admin_);
    ASSERT_TRUE(report.has_value());
    EXPECT_FALSE(report->open.empty());
    EXPECT_EQ(turnstile_.look_up(sale_)->taken, 10);
}

// As in a cluster, where the gate is a copy.
class CopiedGateTest : public DamageTest {
protected:
    CopiedGateTest() { node_.rebuilds = true; }

    const std::vector<sale::sale_id>& healed_ = node_.differing;
};

TEST_F(CopiedGateTest, IsMadeAnewFromABookThatAddsUp) {
    enter();
    release(orders_[2]);
    look(2);
    EXPECT_TRUE(healed_.empty()) << "it might be work in flight";
    look();
    EXPECT_EQ(healed_, std::vector{sale_});
    EXPECT_THAT(paused(), testing::IsEmpty()) << "the sale goes on";
    EXPECT_FALSE(alarmed());
}

TEST_F(CopiedGateTest, IsNotMadeAnewFromABookThatWasTamperedWith) {
    sql(fmt::format("UPDATE sales SET stock = 15 WHERE id = {}", sale_.value));
    enter();  // the log goes on from the wrong figure
    look(4);
    EXPECT_TRUE(healed_.empty());
    EXPECT_EQ(paused(), std::vector{sale_});
    EXPECT_TRUE(alarmed());
}

TEST(RestAfterALook, IsTwentyTimesALongOne) {
    EXPECT_EQ(rest_after(milliseconds(50), milliseconds(50)), milliseconds(0));
    EXPECT_EQ(rest_after(milliseconds(51), milliseconds(51)), milliseconds(1020));
    EXPECT_EQ(rest_after(milliseconds(1), milliseconds(51)), milliseconds(204))
        << "most of it was waiting";
}

}  // namespace
}  // namespace floodgate::jobs
