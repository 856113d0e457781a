#include "shop/bill_check.hpp"

#include <fmt/format.h>

#include "sale/order_number.hpp"
#include "shop/book_fixture.hpp"

namespace floodgate::shop {
namespace {

using pay::bill_kind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class BillCheckTest : public BookTest {
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
    bill_report report(std::vector<pay::bill_row> rows, bill_question q = {ledger::method}) {
        return check_bill({std::move(rows), true, ""}, q, ours_).value();
    }
    // One sentence for each finding.
    std::vector<std::string> compare(std::vector<pay::bill_row> rows) {
        const bill_report r = report(std::move(rows));
        std::vector<std::string> said;
        const auto add = [&said](const char* word, const bill_findings& found) {
            EXPECT_EQ(found.count, found.named.size());
            for (const bill_finding& f : found.named)
                said.push_back(
                    fmt::format("{} order {} (line {}): {}", word, f.order_no, f.line, f.why));
        };
        add("MISSING", r.missing);
        add("EXTRA", r.extra);
        add("DIFFERENT", r.different);
        EXPECT_EQ(r.agrees(), said.empty());
        return said;
    }

    ledger::settlements ours_{verbs_.db()};
    sale::promise paid_ = orders_.order_in("paid", sale_, 1);
    sale::promise refunded_ = orders_.order_in("refunded", sale_, 2);
    std::vector<pay::bill_row> good_{row(paid_, bill_kind::payment),
                                     row(refunded_, bill_kind::payment),
                                     row(refunded_, bill_kind::refund)};
};

TEST_F(BillCheckTest, AgreesWithItsOwnLedger) { EXPECT_THAT(compare(good_), IsEmpty()); }

TEST_F(BillCheckTest, NamesWhatTheBillLacks) {
    const std::string no = sale::to_text(paid_.order);
    EXPECT_THAT(compare({good_[1], good_[2]}),
                ElementsAre(AllOf(StartsWith("MISSING order " + no), HasSubstr("paid at"))));
    EXPECT_THAT(compare({good_[0], good_[1]}), ElementsAre(HasSubstr("refunded at")));
}

TEST_F(BillCheckTest, WhatWasLearntJustAfterMidnightMayBeInTheBillBefore) {
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

TEST_F(BillCheckTest, NamesWhatTheLedgerLacks) {
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
    strange.out_trade_no = "0" + good_[0].out_trade_no;
    EXPECT_THAT(with(strange), ElementsAre(HasSubstr("has no order"))) << "another text";
}

TEST_F(BillCheckTest, NamesDifferentAmounts) {
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
TEST_F(BillCheckTest, EveryPartOfARefundMustBeInTheBill) {
    const auto give_back = [&](std::int64_t fen) {
        ASSERT_TRUE(
            moves_.ask_refund(paid_.order, paid_.buyer, {.amount = {fen}}, paid_.at).value().moved);
        const auto number = book_.refunds().of(paid_.order).value().back().number;
        ASSERT_TRUE(moves_.finish_refund(paid_.order, number, paid_.at).value().moved);
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

TEST_F(BillCheckTest, ARefundInPartsIsSummedUp) {
    auto rows = good_;
    rows[2].amount.value -= 1;
    rows.push_back(row(refunded_, bill_kind::refund, 1));
    EXPECT_THAT(compare(rows), IsEmpty());
}

// A refund that is asked for may be in the bill of the next day; one that is done must be there.
TEST_F(BillCheckTest, LateMoneyMustHaveGoneBack) {
    const auto late = orders_.order_in("late", sale_, 5);
    auto rows = good_;
    rows.push_back(row(late, bill_kind::payment));
    EXPECT_THAT(compare(rows), IsEmpty());
    const auto back = book_.refunds().of(late.order).value().at(0);
    ASSERT_TRUE(moves_.finish_refund(late.order, back.number, late.at).value().moved);
    EXPECT_THAT(compare(rows), ElementsAre(HasSubstr("refunded at")));
    rows.push_back(row(late, bill_kind::refund));
    EXPECT_THAT(compare(rows), IsEmpty());
}

TEST_F(BillCheckTest, MoneyThatTheLedgerNeverHeardOfMustHaveGoneBack) {
    const auto closing = orders_.order_in("closing", sale_, 5);
    ASSERT_TRUE(moves_.close(closing.order, ledger::method, closing.at).value().moved);
    auto rows = good_;
    rows.push_back(row(closing, bill_kind::payment));
    EXPECT_THAT(compare(rows), ElementsAre(HasSubstr("the money did not go back")));
    rows.push_back(row(closing, bill_kind::refund));
    EXPECT_THAT(compare(rows), IsEmpty());
}

TEST_F(BillCheckTest, AnOrderThatWasPaidTwiceIsComparedWithEachOfItsBills) {
    ASSERT_EQ(moves_.pay(paid_.order, "other", paid_.at).value().money, ledger::money_fate::twice);
    EXPECT_THAT(compare(good_), IsEmpty());
    const auto back = book_.refunds().of(paid_.order).value().at(0);
    ASSERT_TRUE(moves_.finish_refund(paid_.order, back.number, paid_.at).value().moved);
    const std::vector<pay::bill_row> both{row(paid_, bill_kind::payment),
                                          row(paid_, bill_kind::refund)};
    EXPECT_TRUE(report(both, {"other"}).agrees());
    const bill_report half = report({both[0]}, {"other"});
    ASSERT_EQ(half.missing.count, 1U);
    EXPECT_THAT(half.missing.named[0].why, HasSubstr("refunded at"));
    EXPECT_EQ(half.extra.count + half.different.count, 0U);
    EXPECT_THAT(compare(good_), IsEmpty()) << "the refund went through the other channel";
}

TEST_F(BillCheckTest, ABillWithoutItsEndIsNotTrusted) {
    const auto r = check_bill({good_, false, ""}, {ledger::method}, ours_).value();
    EXPECT_EQ(r.missing.count + r.extra.count + r.different.count, 0U);
    EXPECT_FALSE(r.is_complete);
    EXPECT_FALSE(r.agrees());
}

TEST_F(BillCheckTest, SaysWhatItCompared) {
    const bill_report r = report(good_);
    const sale::fen one = orders_.find(paid_).amount;
    for (const money_sums& sums : {r.bill, r.ledger}) {
        EXPECT_EQ(sums.payments, 2U);
        EXPECT_EQ(sums.paid.value, 2 * one.value);
        EXPECT_EQ(sums.refunds, 1U);
        EXPECT_EQ(sums.refunded, one);
    }
    ASSERT_TRUE(r.days);
    EXPECT_EQ(r.days->until - r.days->from, std::chrono::hours(24));
    EXPECT_EQ(to_ms(r.days->from) % 86'400'000, 16 * 3'600'000) << "midnight in Beijing";
    EXPECT_LE(r.days->from, paid_.at);
    EXPECT_LT(paid_.at, r.days->until);
    EXPECT_FALSE(report({}).days) << "nothing tells which day it is";
}

TEST_F(BillCheckTest, NamesTheFirstOfManyAndCountsAll) {
    auto rows = good_;
    for (int n = 0; n < 5; ++n) {
        rows.push_back(good_[0]);
        rows.back().out_trade_no = "shop-" + std::to_string(n);
    }
    const bill_report r = report(rows, {ledger::method, 3});
    EXPECT_EQ(r.extra.count, 5U);
    ASSERT_EQ(r.extra.named.size(), 3U);
    EXPECT_EQ(r.extra.named[2].order_no, "shop-2");
    EXPECT_EQ(r.extra.named[2].paid, rows[0].amount);
    EXPECT_EQ(r.extra.named[2].refunded.value, 0);
}

TEST_F(BillCheckTest, ALedgerThatFailsIsNoDifference) {
    break_ledger();
    EXPECT_FALSE(check_bill({good_, true, ""}, {ledger::method}, ours_).has_value());
}

}  // namespace
}  // namespace floodgate::shop
