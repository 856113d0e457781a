#include "jobs/payment_inquiries.hpp"

#include <gtest/gtest.h>

#include "jobs/book_fixture.hpp"
#include "jobs/deadline_closer.hpp"
#include "pay/scripted_channel.hpp"

namespace floodgate::jobs {
namespace {

using namespace std::chrono_literals;
using pay::trade;
using words = std::vector<std::string>;

struct PaymentInquiriesTest : BookTest {
    PaymentInquiriesTest() {
        auto scripted = std::make_unique<pay::scripted_channel>("test");
        channel_ = scripted.get();
        channels_.add(std::move(scripted));
    }
    // The buyer began to pay and then cancelled.
    sale::order closing_order(std::int64_t buyer, const std::string& method = "test") {
        auto o = buy_with(buyer, method);
        EXPECT_TRUE(moves_.cancel(o.no, o.buyer, clock_.now()).value().moved);
        return o;
    }
    sale::order refunding_order(std::int64_t buyer) {
        auto o = buy_with(buyer, "test");
        EXPECT_TRUE(moves_.pay(o.no, "test", clock_.now()).value().moved);
        EXPECT_TRUE(moves_.ask_refund(o.no, o.buyer, {}, clock_.now()).value().moved);
        return o;
    }
    ledger::open_question question() { return moves_.all_questions({}, 10).value().at(0); }
    // How long until it is asked again, in steps of 100 ms.
    milliseconds asked_after() {
        const auto before = channel_->queries.calls();
        const instant since = clock_.now();
        while (channel_->queries.calls() == before && clock_.now() < since + 1h) {
            clock_.advance(100ms);
            ask_.step();
        }
        return clock_.now() - since;
    }

    pay::channels channels_;
    pay::scripted_channel* channel_ = nullptr;
    shop::checkout checkout_{{moves_, channels_, after_, clock_}};
    payment_inquiries ask_{{moves_, refunds_, checkout_, alarms_, clock_}};
};

TEST_F(PaymentInquiriesTest, WithNothingToAskAsksNobody) {
    buy_with(1, "test");
    EXPECT_FALSE(ask_.step());
    EXPECT_EQ(channel_->queries.calls(), 0U);
}

TEST_F(PaymentInquiriesTest, MoneyThatCameWhileClosingDecidesAndTheUnitIsKept) {
    const auto o = closing_order(1);
    channel_->queries.always(trade::paid);
    ask_.step();
    ask_.step();
    EXPECT_EQ(state(o.no), "paid");
    EXPECT_EQ(now(o.no).closing, "");
    expect_returned({});
    EXPECT_EQ(told(o.no), words{"paid"});
    EXPECT_EQ(channel_->queries.calls(), 1U);
    EXPECT_EQ(channel_->closes.calls(), 0U);
    EXPECT_EQ(held(), 1);
    expect_books_agree();
}

TEST_F(PaymentInquiriesTest, MoneyThatComesInTheLastMomentDecidesToo) {
    const auto o = closing_order(1);
    channel_->closes.always(trade::paid);  // open when it was asked, paid when it was to be closed
    ask_.step();
    EXPECT_EQ(state(o.no), "paid");
    expect_returned({});
}

TEST_F(PaymentInquiriesTest, AnOpenTradeIsClosedFirst) {
    const auto o = closing_order(1);
    ask_.step();
    EXPECT_EQ(channel_->closes.calls(), 1U);
    EXPECT_EQ(state(o.no), "closed cancelled");
    expect_returned({o.no});
    EXPECT_EQ(told(o.no), words{"closed"});
    expect_books_agree();
}

TEST_F(PaymentInquiriesTest, ATradeNobodyEverBeganIsAsGoodAsClosed) {
    const auto o = closing_order(1);
    channel_->queries.always(trade::absent);
    ask_.step();
    EXPECT_EQ(channel_->closes.calls(), 0U);
    EXPECT_EQ(state(o.no), "closed cancelled");
}

TEST_F(PaymentInquiriesTest, UnsureTwiceThenClosedClosesOnceAndTheUnitComesBackOnce) {
    const auto o = closing_order(1);
    channel_->queries.queue(o.no, {trade::unsure, trade::open, trade::closed});
    channel_->closes.queue(o.no, {trade::open});
    ask_.step();
    EXPECT_EQ(question().note, "no clear answer");
    EXPECT_EQ(state(o.no), "unpaid");
    ask_.step();
    EXPECT_EQ(channel_->queries.calls(), 1U) << "not before its time";
    clock_.advance(1s);
    ask_.step();
    EXPECT_EQ(question().note, "the trade is still open");
    EXPECT_EQ(question().tries, 2U);
    expect_returned({});
    EXPECT_EQ(held(), 1) << "in limbo the unit is held";
    clock_.advance(2s);
    for (int i = 0; i < 3; ++i) ask_.step();
    EXPECT_EQ(state(o.no), "closed cancelled");
    expect_returned({o.no});
    EXPECT_EQ(told(o.no), words{"closed"});
    EXPECT_EQ(held(), 0);
    const auto f = ask_.read_figures();
    EXPECT_EQ(f.asked, 3U);
    EXPECT_EQ(f.unsure, 2U);
    EXPECT_EQ(f.settled, 1U);
    EXPECT_EQ(f.open, 0);
    expect_books_agree();
}

TEST_F(PaymentInquiriesTest, AsksLessAndLessOftenUpToAMinute) {
    closing_order(1);
    channel_->queries.always(trade::unsure);
    ask_.step();
    for (const auto pause : {1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s}) EXPECT_EQ(asked_after(), pause);
}

TEST_F(PaymentInquiriesTest, AChannelThatThrowsIsUnsure) {
    const auto o = closing_order(1), other = closing_order(2);
    channel_->throws = true;
    ask_.step();
    EXPECT_EQ(question().note, "the channel fell over");
    EXPECT_EQ(ask_.read_figures().unsure, 2U);
    EXPECT_EQ(state(o.no), "unpaid");
    channel_->throws = false;
    clock_.advance(1s);
    ask_.step();
    EXPECT_EQ(state(o.no), "closed cancelled");
    EXPECT_EQ(state(other.no), "closed cancelled");
}

TEST_F(PaymentInquiriesTest, WithoutItsChannelAnOrderWaits) {
    const auto o = closing_order(1, "gone");
    ask_.step();
    EXPECT_EQ(question().note, "no channel");
    EXPECT_EQ(state(o.no), "unpaid");
    expect_returned({});
}

TEST_F(PaymentInquiriesTest, PaidBeforeTheTimeOutThereIsNothingToAsk) {
    const auto o = buy_with(1, "test");
    ASSERT_TRUE(moves_.pay(o.no, "test", clock_.now()).value().moved);
    clock_.set(o.pay_by);
    deadline_closer({moves_, after_, clock_}).step();
    ask_.step();
    EXPECT_EQ(state(o.no), "paid");
    EXPECT_EQ(channel_->queries.calls(), 0U);
    expect_returned({});
}

TEST_F(PaymentInquiriesTest, PaidAfterTheTimeOutItIsTooLate) {
    const auto o = buy_with(1, "test");
    clock_.set(o.pay_by);
    deadline_closer({moves_, after_, clock_}).step();
    ask_.step();
    EXPECT_EQ(state(o.no), "closed timed_out");
    EXPECT_EQ(moves_.pay(o.no, "test", clock_.now()).value().money, ledger::money_fate::late);
    expect_returned({o.no});
    EXPECT_EQ(told(o.no), (words{"unpaid closing timed_out", "closed"}));
    expect_books_agree();
}

// The payment's own message meets an inquiry: the first of the two in the ledger wins.
class meddling_channel final : public pay::channel {
public:
    explicit meddling_channel(ledger::move_book& moves) : moves_(moves) {}
    std::string_view method() const override { return "meddling"; }
    result<pay::checkout> begin(const sale::order&) override { return pay::checkout{}; }
    trade query(const sale::order& o) override {
        EXPECT_TRUE(moves_.pay(o.no, "meddling", noon).value().moved);
        return trade::closed;
    }
    trade close(const sale::order&) override { return trade::closed; }
    pay::refund_answer refund(const sale::order&, const pay::refund_request&) override {
        return pay::refund_answer::done;
    }

private:
    ledger::move_book& moves_;
};

TEST_F(PaymentInquiriesTest, WhatWasPaidWhileItAskedIsNotClosed) {
    channels_.add(std::make_unique<meddling_channel>(moves_));
    const auto o = closing_order(1, "meddling");
    ask_.step();
    ask_.step();
    EXPECT_EQ(state(o.no), "paid");
    expect_returned({});
    EXPECT_TRUE(news_.empty()) << "who moved it tells";
    EXPECT_EQ(ask_.read_figures().settled, 0U);
    expect_books_agree();
}

TEST_F(PaymentInquiriesTest, GivesMoneyBackAndThenTheUnit) {
    const auto o = refunding_order(1);
    channel_->refunds.queue(o.no, {pay::refund_answer::unsure});
    ask_.step();
    EXPECT_EQ(state(o.no), "refunding");
    expect_returned({});
    clock_.advance(1s);
    for (int i = 0; i < 3; ++i) ask_.step();
    EXPECT_EQ(state(o.no), "refunded");
    EXPECT_EQ(channel_->refunds.calls(), 2U);
    expect_returned({o.no});
    EXPECT_EQ(told(o.no), words{"refunded"});
    expect_books_agree();
}

TEST_F(PaymentInquiriesTest, ARefundThatItsChannelSpeaksOfIsAskedForAtOnce) {
    const auto o = refunding_order(1);
    channel_->refunds.queue(o.no, {pay::refund_answer::under_way, pay::refund_answer::under_way});
    payment_inquiries seldom({moves_, refunds_, checkout_, alarms_, clock_},
                             {.pause_first = 10min, .pause_last = 10min});
    seldom.step();
    EXPECT_EQ(question().note, "the channel has not finished the refund");
    clock_.advance(1s);
    seldom.step();
    EXPECT_EQ(channel_->refunds.calls(), 1U);
    for (unsigned said = 1; said <= 2; ++said) {  // the first time too early
        ASSERT_TRUE(moves_.ask_now(question().refund.number, clock_.now(), "").has_value());
        for (int i = 0; i < 3; ++i) seldom.step();
        EXPECT_EQ(channel_->refunds.calls(), 1U + said);
        EXPECT_EQ(state(o.no), said == 2 ? "refunded" : "refunding");
        clock_.advance(1s);
    }
    expect_returned({o.no});
    EXPECT_EQ(seldom.read_figures().unsure, 0U);
    expect_books_agree();
}

TEST_F(PaymentInquiriesTest, MoneyThatComesTooLateIsGivenBackAndTheUnitStaysWhereItIs) {
    const auto o = closing_order(1);
    ask_.step();
    EXPECT_EQ(state(o.no), "closed cancelled");
    ASSERT_EQ(checkout_.notified(o.no, "test", trade::paid).value(),
              shop::checkout_step::under_way);
    channel_->refunds.queue(o.no, {pay::refund_answer::unsure});
    ask_.step();
    EXPECT_EQ(question().note, "no clear answer");
    clock_.advance(1s);
    for (int i = 0; i < 3; ++i) ask_.step();
    EXPECT_EQ(channel_->refunds.calls(), 2U);
    EXPECT_EQ(ask_.read_figures().open, 0);
    EXPECT_EQ(state(o.no), "closed cancelled");
    expect_returned({o.no});
    EXPECT_EQ(told(o.no), words{"closed"});
    expect_books_agree();
}

TEST_F(PaymentInquiriesTest, AsksAFewAtATimeAndSaysWhetherThereAreMore) {
    for (std::int64_t buyer = 1; buyer <= 5; ++buyer) closing_order(buyer);
    payment_inquiries few({moves_, refunds_, checkout_, alarms_, clock_}, {.at_once = 2});
    EXPECT_TRUE(few.step());
    EXPECT_TRUE(few.step());
    EXPECT_FALSE(few.step());
    EXPECT_EQ(gate_.released.size(), 5U);
}

TEST_F(PaymentInquiriesTest, RaisesOneAlertWhenAChannelIsSilentForLong) {
    closing_order(1);
    const auto gone = closing_order(2, "gone");
    channel_->queries.always(trade::unsure);
    ask_.step();
    clock_.advance(60s);
    ask_.step();
    EXPECT_TRUE(alarms_.standing().empty());
    clock_.advance(5s);
    ask_.step();
    ASSERT_EQ(alarms_.standing().size(), 1U);
    const alarm::alert a = alarms_.standing()[0];
    EXPECT_EQ(a.kind, alarm::kind::payment_limbo);
    EXPECT_EQ(a.subject, "payments");
    EXPECT_EQ(a.detail, "2 orders wait for their channel, the oldest for 65 s");
    EXPECT_EQ(ask_.read_figures().open, 2);

    channel_->queries.always(trade::closed);
    ASSERT_TRUE(moves_.pay(gone.no, "gone", clock_.now()).value().moved);
    clock_.advance(10min);
    ask_.step();
    EXPECT_TRUE(alarms_.standing().empty());
    EXPECT_EQ(ask_.read_figures().open, 0);
}

TEST_F(PaymentInquiriesTest, WhenTheLedgerFailsNothingIsForgotten) {
    const auto o = closing_order(1);
    break_ledger();
    EXPECT_FALSE(ask_.step());
    EXPECT_EQ(channel_->queries.calls(), 0U);
    mend_ledger();
    break_ledger_after("UPDATE orders");  // the answer cannot be entered
    EXPECT_FALSE(ask_.step());
    EXPECT_EQ(channel_->queries.calls(), 2U) << "before and after closing";
    mend_ledger();
    EXPECT_EQ(state(o.no), "unpaid");
    ask_.step();
    EXPECT_EQ(state(o.no), "closed cancelled");
    expect_returned({o.no});
}

TEST_F(PaymentInquiriesTest, AnotherOneGoesOnAfterARestart) {
    const auto o = closing_order(1);
    channel_->queries.queue(o.no, {trade::unsure});
    ask_.step();
    clock_.advance(1s);
    payment_inquiries next({moves_, refunds_, checkout_, alarms_, clock_});
    next.step();
    EXPECT_EQ(state(o.no), "closed cancelled");
    expect_returned({o.no});
}

TEST_F(PaymentInquiriesTest, EachTryHasItsOwnRowInTheJournal) {
    const auto o = closing_order(1);
    channel_->queries.always(trade::unsure);
    for (int tries = 1; tries <= 3; ++tries) {
        ask_.step();
        clock_.advance(1h);
    }
    channel_->queries.always(trade::paid);
    ask_.step();
    words said;
    for (const auto& a : book_.attempts().of_order(o.no).value()) said.push_back(a.answer);
    EXPECT_EQ(said, (words{"unsure", "unsure", "unsure", "paid"}));
}

}  // namespace
}  // namespace floodgate::jobs
