#include "commands/bills.hpp"

#include <fmt/format.h>

#include "ledger/move_fixture.hpp"
#include "sale/order_number.hpp"
#include "store/sql/sqlite_database.hpp"

namespace floodgate::commands {
namespace {

using pay::bill_kind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class BillsTest : public testing::Test {
protected:
    pay::bill_row row(const sale::promise& p, bill_kind kind, std::int64_t fen = 0) {
        const sale::order o = orders_.find(p);
        return {.out_trade_no = sale::to_text(p.order),
                .channel_trade_no = "T1",
                .kind = kind,
                .refund_no = {},
                .amount = fen == 0 ? o.amount : sale::fen{fen},
                .at = p.at,
                .line = 7};
    }
    std::vector<std::string> compare(std::vector<pay::bill_row> rows, bool complete = true) {
        return compare_bill({std::move(rows), complete, ""}, ledger::method, ours_);
    }

    ledger::book_verbs verbs_{store::open_sqlite({.path = ":memory:"})};
    ledger::move_verbs orders_{verbs_};
    ledger::settlements ours_{verbs_.db()};
    sale::sale_id sale_ = verbs_.add_sale({.stock = 100});
    sale::promise paid_ = orders_.order_in("paid", sale_, 1);
    sale::promise refunded_ = orders_.order_in("refunded", sale_, 2);
    std::vector<pay::bill_row> good_{row(paid_, bill_kind::payment),
                                     row(refunded_, bill_kind::payment),
                                     row(refunded_, bill_kind::refund)};
};

TEST_F(BillsTest, AgreesWithItsOwnLedger) { EXPECT_THAT(compare(good_), IsEmpty()); }

TEST_F(BillsTest, NamesWhatTheBillLacks) {
    const std::string no = sale::to_text(paid_.order);
    EXPECT_THAT(compare({good_[1], good_[2]}),
                ElementsAre(AllOf(StartsWith("MISSING order " + no), HasSubstr("paid at"))));
    EXPECT_THAT(compare({good_[0], good_[1]}), ElementsAre(HasSubstr("refunded at")));
}

TEST_F(BillsTest, WhatWasLearntJustAfterMidnightMayBeInTheBillBefore) {
    // noon is 08:00 UTC, 16:00 in Beijing: the events lie far from midnight. Move one to 00:59.
    const instant midnight =
        std::chrono::floor<std::chrono::days>(paid_.at + std::chrono::hours(8)) -
        std::chrono::hours(8);
    const auto move_to = [&](instant t) {
        verbs_.sql(fmt::format("UPDATE trades SET paid_ms = {} WHERE order_no = {}", to_ms(t),
                               paid_.order.value));
    };
    move_to(midnight + std::chrono::minutes(59));
    EXPECT_THAT(compare({good_[1], good_[2]}), IsEmpty());
    move_to(midnight + std::chrono::minutes(60));
    EXPECT_EQ(compare({good_[1], good_[2]}).size(), 1U);
    move_to(midnight - milliseconds(1));
    EXPECT_THAT(compare({good_[1], good_[2]}), IsEmpty()) << "another day";
}

TEST_F(BillsTest, NamesWhatTheLedgerLacks) {
    const auto unpaid = orders_.order_in("begun", sale_, 3), other = orders_.order(sale_, 4);
    auto with = [&](pay::bill_row more) {
        auto rows = good_;
        rows.push_back(std::move(more));
        return compare(rows);
    };
    EXPECT_THAT(with(row(unpaid, bill_kind::payment)),
                ElementsAre(AllOf(StartsWith("EXTRA order"), HasSubstr("is unpaid"))));
    EXPECT_THAT(with(row(other, bill_kind::payment)), ElementsAre(HasSubstr("has no order")));
    EXPECT_THAT(with(row(paid_, bill_kind::refund)), ElementsAre(HasSubstr("the order is paid")));
    pay::bill_row strange = good_[0];
    strange.out_trade_no = "shop-4711";
    EXPECT_THAT(with(strange), ElementsAre(HasSubstr("order shop-4711 (line 7)")));
    strange.out_trade_no = "";
    EXPECT_THAT(with(strange), ElementsAre(HasSubstr("without a number of ours")));
}

TEST_F(BillsTest, NamesDifferentAmounts) {
    auto rows = good_;
    rows[0].amount.value += 1;
    EXPECT_THAT(compare(rows), ElementsAre(StartsWith("DIFFERENT order")));
    rows = good_;
    rows.push_back(good_[0]);  // paid twice
    EXPECT_THAT(compare(rows), ElementsAre(StartsWith("DIFFERENT order")));
    rows = good_;
    rows[2].amount.value -= 1;
    EXPECT_THAT(compare(rows), ElementsAre(StartsWith("DIFFERENT order")));
}

// Two refunds of the ledger are no proof of each other.
TEST_F(BillsTest, EveryPartOfARefundMustBeInTheBill) {
    auto& moves = verbs_.book().moves();
    const auto give_back = [&](std::int64_t fen) {
        ASSERT_TRUE(
            moves.ask_refund(paid_.order, paid_.buyer, {.amount = {fen}}, paid_.at).value().moved);
        const auto number = verbs_.book().refunds().of(paid_.order).value().back().number;
        ASSERT_TRUE(moves.finish_refund(paid_.order, number, paid_.at).value().moved);
    };
    give_back(3);
    give_back(4);
    auto rows = good_;
    rows.push_back(row(paid_, bill_kind::refund, 3));
    EXPECT_THAT(compare(rows),
                ElementsAre(AllOf(StartsWith("DIFFERENT order"), HasSubstr("the ledger ¥0.07"))));
    rows.push_back(row(paid_, bill_kind::refund, 4));
    EXPECT_THAT(compare(rows), IsEmpty());
    rows.push_back(row(paid_, bill_kind::refund, 1));
    EXPECT_THAT(compare(rows), ElementsAre(StartsWith("DIFFERENT order")));
}

TEST_F(BillsTest, ARefundInPartsIsSummedUp) {
    auto rows = good_;
    rows[2].amount.value -= 1;
    rows.push_back(row(refunded_, bill_kind::refund, 1));
    EXPECT_THAT(compare(rows), IsEmpty());
}

// A refund that is asked for may be in the bill of the next day; one that is done must be there.
TEST_F(BillsTest, LateMoneyMustHaveGoneBack) {
    const auto late = orders_.order_in("late", sale_, 5);
    auto rows = good_;
    rows.push_back(row(late, bill_kind::payment));
    EXPECT_THAT(compare(rows), IsEmpty());
    const auto back = verbs_.book().refunds().of(late.order).value().at(0);
    ASSERT_TRUE(
        verbs_.book().moves().finish_refund(late.order, back.number, late.at).value().moved);
    EXPECT_THAT(compare(rows), ElementsAre(HasSubstr("refunded at")));
    rows.push_back(row(late, bill_kind::refund));
    EXPECT_THAT(compare(rows), IsEmpty());
}

TEST_F(BillsTest, MoneyThatTheLedgerNeverHeardOfMustHaveGoneBack) {
    const auto closing = orders_.order_in("closing", sale_, 5);
    ASSERT_TRUE(
        verbs_.book().moves().close(closing.order, ledger::method, closing.at).value().moved);
    auto rows = good_;
    rows.push_back(row(closing, bill_kind::payment));
    EXPECT_THAT(compare(rows), ElementsAre(HasSubstr("the money did not go back")));
    rows.push_back(row(closing, bill_kind::refund));
    EXPECT_THAT(compare(rows), IsEmpty());
}

TEST_F(BillsTest, AnOrderThatWasPaidTwiceIsComparedWithEachOfItsBills) {
    auto& moves = verbs_.book().moves();
    ASSERT_EQ(moves.pay(paid_.order, "other", paid_.at).value().money, ledger::money_fate::twice);
    EXPECT_THAT(compare(good_), IsEmpty());
    const auto back = verbs_.book().refunds().of(paid_.order).value().at(0);
    ASSERT_TRUE(moves.finish_refund(paid_.order, back.number, paid_.at).value().moved);
    const std::vector<pay::bill_row> both{row(paid_, bill_kind::payment),
                                          row(paid_, bill_kind::refund)};
    EXPECT_THAT(compare_bill({both, true, ""}, "other", ours_), IsEmpty());
    EXPECT_THAT(compare_bill({{both[0]}, true, ""}, "other", ours_),
                ElementsAre(HasSubstr("refunded at")));
    EXPECT_THAT(compare(good_), IsEmpty()) << "the refund went through the other channel";
}

TEST_F(BillsTest, ABillWithoutItsEndIsNotTrusted) {
    EXPECT_THAT(compare(good_, false), ElementsAre(StartsWith("INCOMPLETE")));
    EXPECT_THROW(compare_bill({{}, false, "line 3: no table"}, ledger::method, ours_),
                 std::runtime_error);
}

}  // namespace
}  // namespace floodgate::commands
