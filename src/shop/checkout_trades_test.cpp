// An order whose buyer began to pay in two ways.

#include "shop/checkout_fixture.hpp"

namespace floodgate::shop {
namespace {

using ledger::method;
using ledger::outcome;
using ledger::refund_cause;
using pay::trade;
using testing::IsEmpty;

class TwoMethodsTest : public CheckoutTest {
protected:
    sale::promise begun_twice() {
        const auto p = order_in("unpaid");
        for (const char* how : {method, "other"})
            EXPECT_EQ(checkout_.begin(p.order, p.buyer, how).value().step,
                      checkout_step::under_way);
        return p;
    }
    checkout_step says(const sale::promise& p, const std::string& how, trade t) {
        return checkout_.notified(p.order, how, t).value();
    }
    pay::scripted_channel& channel(const std::string& how) {
        return how == method ? *channel_ : *other_;
    }
    inquiry_outcome ask(const std::string& how) {
        for (const auto& q : moves_.all_questions({}, 10).value())
            if (q.method == how) return checkout_.inquire(q).value().outcome;
        ADD_FAILURE() << "nothing is to be asked of " << how;
        return inquiry_outcome::overtaken;
    }
    std::vector<ledger::refund> refunds(const sale::promise& p) {
        return book_.refunds().of(p.order).value();
    }
    void expect_books_agree() { EXPECT_THAT(verbs_.check(), IsEmpty()); }

    // The first to be paid, and the other one.
    const std::array<std::array<std::string, 2>, 2> both_ways_{
        {{method, "other"}, {"other", method}}};
};

TEST_F(TwoMethodsTest, WhenOneIsPaidTheOtherIsClosed) {
    for (const auto& [first, second] : both_ways_) {
        SCOPED_TRACE(first);
        const auto p = begun_twice();
        news_.clear();
        EXPECT_EQ(says(p, first, trade::paid), checkout_step::done);
        EXPECT_EQ(shown(p), "paid");
        ASSERT_EQ(questions(), 1);
        EXPECT_EQ(question().what, ledger::question::close);
        EXPECT_EQ(question().method, second);
        const auto closes = channel(second).closes.calls();
        EXPECT_EQ(ask(second), inquiry_outcome::settled);
        EXPECT_EQ(channel(second).closes.calls(), closes + 1);
        EXPECT_EQ(questions(), 0);
        EXPECT_EQ(shown(p), "paid");
        EXPECT_EQ(news_.size(), 1U) << "a closed trade is no news of a paid order";
    }
    EXPECT_THAT(gate_.released, IsEmpty());
    expect_books_agree();
}

TEST_F(TwoMethodsTest, MoneyThatComesASecondTimeGoesBackByItself) {
    for (const auto& [first, second] : both_ways_) {
        SCOPED_TRACE(first);
        const auto p = begun_twice();
        ASSERT_EQ(says(p, first, trade::paid), checkout_step::done);
        EXPECT_EQ(says(p, second, trade::paid), checkout_step::under_way);
        EXPECT_EQ(says(p, second, trade::paid), checkout_step::no_effect) << "repeated";
        EXPECT_EQ(says(p, first, trade::paid), checkout_step::no_effect) << "repeated";
        ASSERT_EQ(questions(), 1) << "what was paid is not to be closed any more";
        EXPECT_EQ(question().what, ledger::question::refund);
        EXPECT_EQ(question().method, second);

        channel(second).refunds.queue(p.order, {pay::refund_answer::unsure});
        EXPECT_EQ(ask(second), inquiry_outcome::unsure);
        EXPECT_EQ(ask(second), inquiry_outcome::settled);
        const auto asked = channel(second).refund_requests(p.order);
        ASSERT_EQ(asked.size(), 2U);
        EXPECT_EQ(asked[0].number, asked[1].number) << "so the money goes back once";
        EXPECT_EQ(asked[0].amount, orders_.find(p).amount);
        EXPECT_THAT(channel(first).refund_requests(p.order), IsEmpty());
        EXPECT_EQ(refunds(p).at(0).cause, refund_cause::twice);
        EXPECT_TRUE(refunds(p).at(0).is_done());
        EXPECT_EQ(shown(p), "paid");
        EXPECT_EQ(orders_.find(p).refunded.value, 0) << "the order's own money was not touched";
    }
    EXPECT_THAT(gate_.released, IsEmpty());
    expect_books_agree();
}

TEST_F(TwoMethodsTest, MoneyIsAlsoFoundWhenItsTradeIsToBeClosed) {
    const auto p = begun_twice();
    ASSERT_EQ(says(p, method, trade::paid), checkout_step::done);
    other_->queries.always(trade::paid);
    EXPECT_EQ(ask("other"), inquiry_outcome::overtaken) << "the refund is a new inquiry";
    EXPECT_EQ(refunds(p).at(0).cause, refund_cause::twice);
    EXPECT_EQ(ask("other"), inquiry_outcome::settled);
    EXPECT_EQ(questions(), 0);
    expect_books_agree();
}

TEST_F(TwoMethodsTest, AnOrderIsClosedWithItsLastTrade) {
    for (const bool by_time : {false, true})
        for (const auto& [first, second] : both_ways_) {
            SCOPED_TRACE(first + (by_time ? ", time-out" : ", cancel"));
            const auto p = begun_twice();
            gate_.released.clear();
            if (by_time) {
                clock_.set(orders_.deadline(p));
                ASSERT_EQ(moves_.close_due(clock_.now(), 10).value().closing.size(), 1U);
            } else {
                EXPECT_EQ(checkout_.cancel(p.order, p.buyer).value().step,
                          checkout_step::under_way);
            }
            const std::string why = by_time ? "timed_out" : "cancelled";
            EXPECT_EQ(questions(), 2);
            news_.clear();
            EXPECT_EQ(ask(first), inquiry_outcome::settled);
            EXPECT_EQ(shown(p), "unpaid closing " + why);
            EXPECT_THAT(gate_.released, IsEmpty()) << "the other one may still be paid";
            EXPECT_THAT(news_, IsEmpty());
            EXPECT_EQ(ask(second), inquiry_outcome::settled);
            EXPECT_EQ(shown(p), "closed " + why);
            EXPECT_EQ(gate_.released.size(), 1U);
            EXPECT_EQ(news_.size(), 1U);
            EXPECT_EQ(questions(), 0);
            clock_.set(ledger::noon);
        }
    expect_books_agree();
}

TEST_F(TwoMethodsTest, TheLastTradeOfAClosingOrderMayStillBePaid) {
    for (const auto& [first, second] : both_ways_) {
        SCOPED_TRACE(first);
        const auto p = begun_twice();
        ASSERT_EQ(checkout_.cancel(p.order, p.buyer).value().step, checkout_step::under_way);
        EXPECT_EQ(ask(first), inquiry_outcome::settled);
        channel(second).queries.queue(p.order, {trade::paid});
        EXPECT_EQ(ask(second), inquiry_outcome::settled);
        EXPECT_EQ(shown(p), "paid");
        EXPECT_EQ(questions(), 0);
    }
    EXPECT_THAT(gate_.released, IsEmpty());
    expect_books_agree();
}

TEST_F(TwoMethodsTest, ATradeThatItsChannelClosedLeavesTheOther) {
    const auto p = begun_twice();
    EXPECT_EQ(says(p, method, trade::closed), checkout_step::done);
    EXPECT_EQ(shown(p), "unpaid");
    EXPECT_EQ(outcome(checkout_.begin(p.order, p.buyer, method)), errc::conflict);
    EXPECT_EQ(checkout_.begin(p.order, p.buyer, "other").value().step, checkout_step::under_way);
    EXPECT_EQ(says(p, "other", trade::paid), checkout_step::done);
    EXPECT_EQ(shown(p), "paid");
    EXPECT_EQ(questions(), 0);
    expect_books_agree();
}

TEST_F(TwoMethodsTest, BothMayBePaidTooLate) {
    const auto p = begun_twice();
    ASSERT_EQ(checkout_.cancel(p.order, p.buyer).value().step, checkout_step::under_way);
    EXPECT_EQ(ask(method), inquiry_outcome::settled);
    EXPECT_EQ(ask("other"), inquiry_outcome::settled);
    for (const char* how : {method, "other"})
        EXPECT_EQ(says(p, how, trade::paid), checkout_step::under_way);
    const auto back = refunds(p);
    ASSERT_EQ(back.size(), 2U);
    EXPECT_NE(back[0].number, back[1].number);
    for (const auto& r : back) EXPECT_EQ(r.cause, refund_cause::late);
    for (const char* how : {method, "other"}) {
        EXPECT_EQ(ask(how), inquiry_outcome::settled);
        EXPECT_EQ(channel(how).refund_requests(p.order).size(), 1U);
    }
    EXPECT_EQ(shown(p), "closed cancelled");
    EXPECT_EQ(gate_.released.size(), 1U);
    expect_books_agree();
}

TEST_F(TwoMethodsTest, EveryCallToAChannelIsJournalledWithWhatItCameTo) {
    const auto p = order_in("unpaid");
    const auto journal = [&] {
        std::vector<std::string> lines;
        for (const auto& a : ledger::attempt_book(verbs_.db()).of_order(p.order).value())
            lines.push_back(a.method + " " + a.asked + " " + a.outcome);
        return lines;
    };
    ASSERT_EQ(checkout_.begin(p.order, p.buyer, ledger::method)->step, checkout_step::under_way);
    EXPECT_THAT(journal(), testing::ElementsAre("test begin answered"));
    ASSERT_EQ(checkout_.cancel(p.order, p.buyer)->step, checkout_step::under_way);
    channel_->throws = true;
    const inquiry broken = checkout_.inquire(question()).value();
    EXPECT_EQ(broken.outcome, inquiry_outcome::unsure);
    ASSERT_EQ(broken.calls.size(), 1U) << "to be written with the pause";
    EXPECT_EQ(broken.calls[0].outcome, "failed");
    channel_->throws = false;
    ASSERT_EQ(checkout_.inquire(question())->outcome, inquiry_outcome::settled);
    EXPECT_THAT(journal(), testing::ElementsAre("test begin answered", "test query answered",
                                                "test close answered", "test query answered"));
}

TEST_F(TwoMethodsTest, ACallForARefundIsJournalledWithItsNumber) {
    const auto p = order_in("refunding");
    ASSERT_EQ(checkout_.inquire(question())->outcome, inquiry_outcome::settled);
    const auto made = ledger::attempt_book(verbs_.db()).of_order(p.order).value();
    ASSERT_EQ(made.size(), 1U);
    EXPECT_EQ(made[0].asked, "refund");
    EXPECT_EQ(made[0].refund_no, std::to_string(p.order.value) + "R1");
}

}  // namespace
}  // namespace floodgate::shop
