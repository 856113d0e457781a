#include "shop/balance_check.hpp"

#include <gtest/gtest.h>

namespace floodgate::shop {
namespace {

const instant noon = from_ms(1'800'000'000'000);

ledger::sale_tally book(std::int64_t held, std::int64_t letters = 0) {
    ledger::sale_tally t{.sale = {7}, .stock = 10, .held = held};
    t.log_stock = 10;
    t.log_held = held;
    t.unpaid = held;
    t.letters = letters;
    return t;
}

struct gate_moves {
    std::int64_t given = 0, returned = 0;  // between the looks
};
std::optional<gate_views> gate(std::int64_t taken, gate_moves moves = {},
                               std::uint32_t largest = 1) {
    gate::standing before{.stock = 10, .taken = taken};
    before.given = 100 + taken;
    before.returned = 100;
    before.largest = largest;
    gate::standing after = before;
    after.given += moves.given;
    after.returned += moves.returned;
    after.taken = after.given - after.returned;
    return gate_views{before, after};
}

mismatch kind(const balance_check& w) {
    EXPECT_EQ(w.what == mismatch::none, w.sentence.empty());
    return w.what;
}

TEST(BalanceCheck, AtRestGateAndBookMustBeEqual) {
    EXPECT_EQ(kind(check_balance(book(4), gate(4), 0)), mismatch::none);
    EXPECT_EQ(kind(check_balance(book(4), gate(3), 0)), mismatch::fewer);
    EXPECT_EQ(kind(check_balance(book(4), gate(5), 0)), mismatch::more);
    EXPECT_EQ(check_balance(book(4), gate(2), 0).units, 2);
    EXPECT_EQ(check_balance(book(4), gate(7), 0).units, 3);
}

TEST(BalanceCheck, PromisesInTheLineMayBeOfThisSaleOrNot) {
    EXPECT_EQ(kind(check_balance(book(4), gate(4), 3)), mismatch::none);
    EXPECT_EQ(kind(check_balance(book(4), gate(7), 3)), mismatch::none);
    EXPECT_EQ(kind(check_balance(book(4), gate(8), 3)), mismatch::more);
    EXPECT_EQ(kind(check_balance(book(4), gate(3), 3)), mismatch::fewer);
    EXPECT_EQ(kind(check_balance(book(4), gate(9, {}, 2), 3)), mismatch::none) << "two units each";
    EXPECT_EQ(kind(check_balance(book(0), gate(7, {}, 2), 3)), mismatch::more);
}

TEST(BalanceCheck, LettersHoldTheirUnitsAtTheGate) {
    EXPECT_EQ(kind(check_balance(book(4, 2), gate(6), 0)), mismatch::none);
    EXPECT_EQ(kind(check_balance(book(4, 2), gate(5), 0)), mismatch::fewer);
    const auto w = check_balance(book(4, 2), gate(6), 0);
    EXPECT_EQ(w.balance.promised, 2);
    EXPECT_EQ(w.balance.letters, 2);
}

TEST(BalanceCheck, WhatMovedBetweenTheLooksMayHaveBeenBeforeOrAfterTheBook) {
    // Three given and two returned: at the book's moment the gate held 2 to 7.
    for (const std::int64_t held : {2, 4, 5, 7})
        EXPECT_EQ(kind(check_balance(book(held), gate(4, {3, 2}), 0)), mismatch::none) << held;
    EXPECT_EQ(kind(check_balance(book(1), gate(4, {3, 2}), 0)), mismatch::more);
    EXPECT_EQ(kind(check_balance(book(8), gate(4, {3, 2}), 0)), mismatch::fewer);
}

TEST(BalanceCheck, AStockThatChangesBetweenTheLooksIsFine) {
    auto g = gate(4);
    g->after.stock = 12;
    EXPECT_EQ(kind(check_balance(book(4), g, 0)), mismatch::none);
    g->before.stock = 12;
    EXPECT_EQ(kind(check_balance(book(4), g, 0)), mismatch::stock);
}

TEST(BalanceCheck, SeveralWithdrawalsBetweenTheLooksAreFine) {
    auto g = gate(4, {0, 3});
    g->after.stock = 7;
    for (const std::int64_t stock : {7, 8, 9, 10}) {
        auto t = book(4 - (10 - stock));
        t.stock = t.log_stock = stock;
        EXPECT_EQ(kind(check_balance(t, g, 0)), mismatch::none) << stock;
    }
}

TEST(BalanceCheck, AWithdrawalThatTheGateHasNotHeardOfLooksLikeMore) {
    auto t = book(3);
    t.stock = t.log_stock = 9;
    for (const std::uint64_t queued : {0U, 5U}) {
        EXPECT_EQ(kind(check_balance(t, gate(4), queued)), mismatch::more) << queued;
        EXPECT_EQ(check_balance(t, gate(4), queued).units, 1) << queued;
    }
    EXPECT_EQ(kind(check_balance(t, gate(3), 0)), mismatch::stock) << "it holds no such unit";
    t.stock = t.log_stock = 8;
    EXPECT_EQ(kind(check_balance(t, gate(4), 0)), mismatch::stock) << "nor two of them";
}

TEST(BalanceCheck, TheBookMustAddUpByItself) {
    for (const auto damage :
         {&ledger::sale_tally::held, &ledger::sale_tally::stock, &ledger::sale_tally::log_held,
          &ledger::sale_tally::log_stock, &ledger::sale_tally::unpaid}) {
        auto t = book(4);
        t.*damage += 1;
        EXPECT_EQ(kind(check_balance(t, gate(4), 0)), mismatch::book);
        EXPECT_EQ(kind(check_balance(t, std::nullopt, 0)), mismatch::book);
    }
    EXPECT_EQ(kind(check_balance(book(4), std::nullopt, 0)), mismatch::none);
}

TEST(BalanceCheck, TheBalanceAddsUpWheneverNothingIsWrong) {
    for (std::int64_t held = 0; held <= 8; ++held)
        for (std::int64_t taken = 0; taken <= 9; ++taken)
            for (const std::uint64_t queued : {0U, 2U})
                for (const gate_moves moves : {gate_moves{0, 0}, gate_moves{1, 2}}) {
                    if (taken < moves.returned) continue;
                    const auto w = check_balance(book(held, 1), gate(taken, moves), queued);
                    EXPECT_EQ(w.balance.off_by() == 0, w.what == mismatch::none);
                    EXPECT_EQ(std::abs(w.balance.off_by()), w.units);
                }
    EXPECT_EQ(check_balance(book(4, 1), std::nullopt, 0).balance.off_by(), 0);
    EXPECT_EQ(check_balance(book(4, 1), std::nullopt, 0).balance.free, 5);
}

class SuspicionTest : public testing::Test {
protected:
    bool look(const balance_check& w, std::int64_t after_ms) {
        now_ += milliseconds(after_ms);
        suspicion_.look(w, now_);
        return suspicion_.breached();
    }
    const balance_check fine_ = check_balance(book(4), gate(4), 0);
    const balance_check fewer_ = check_balance(book(4), gate(3), 0);
    const balance_check more_ = check_balance(book(4), gate(6), 0);
    mismatch_watch suspicion_;
    instant now_ = noon;
};

TEST_F(SuspicionTest, NeedsThreeLooksInARow) {
    EXPECT_FALSE(look(fewer_, 500));
    EXPECT_FALSE(look(fewer_, 5000));
    EXPECT_TRUE(look(fewer_, 500));
    EXPECT_EQ(suspicion_.since(), noon + milliseconds(500));
}

TEST_F(SuspicionTest, NeedsSixHundredMilliseconds) {
    EXPECT_FALSE(look(fewer_, 0));
    for (int i = 0; i < 5; ++i) EXPECT_FALSE(look(fewer_, 100));
    EXPECT_FALSE(look(fewer_, 99));
    EXPECT_TRUE(look(fewer_, 1));
}

TEST_F(SuspicionTest, OneLookThatAgreesOrAnotherKindBeginsAnew) {
    for (const balance_check* between : {&fine_, &more_}) {
        EXPECT_FALSE(look(fewer_, 500));
        EXPECT_FALSE(look(fewer_, 500));
        EXPECT_FALSE(look(*between, 500));
        EXPECT_FALSE(look(fewer_, 500));
        EXPECT_FALSE(look(fewer_, 500));
        look(fine_, 500);
    }
}

TEST_F(SuspicionTest, AClockSetBackBeginsAnew) {
    EXPECT_FALSE(look(fewer_, 500));
    EXPECT_FALSE(look(fewer_, 500));
    EXPECT_FALSE(look(fewer_, -86'400'000));
    EXPECT_FALSE(look(fewer_, 500));
    EXPECT_TRUE(look(fewer_, 500));
}

TEST_F(SuspicionTest, UnitsThatComeBackWereOnlyOnTheirWay) {
    balance_check w = more_;  // two units too many; between looks others come back
    for (int i = 0; i < 10; ++i) {
        EXPECT_FALSE(look(w, 500));
        w.returned += 2;
    }
    w.returned -= 2;
    EXPECT_FALSE(look(w, 500));
    w.returned += 1;
    EXPECT_TRUE(look(w, 500)) << "one of them did not";
}

TEST_F(SuspicionTest, IsOverAfterThreeLooksThatAgree) {
    for (int i = 0; i < 3; ++i) look(fewer_, 500);
    EXPECT_TRUE(look(fine_, 500));
    EXPECT_TRUE(look(fine_, 500));
    EXPECT_TRUE(look(more_, 500)) << "still wrong, in another way";
    EXPECT_TRUE(look(fine_, 500));
    EXPECT_TRUE(look(fine_, 500));
    EXPECT_FALSE(look(fine_, 500));
    EXPECT_FALSE(look(fewer_, 500)) << "a new one needs its looks again";
}

}  // namespace
}  // namespace floodgate::shop
