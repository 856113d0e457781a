#include "shop/points_channel.hpp"

#include "points/account_book.hpp"
#include "points/scripted_accounts.hpp"
#include "shop/book_fixture.hpp"
#include "shop/checkout.hpp"

namespace floodgate::shop {
namespace {

using ledger::move_verbs;
using pay::refusal;
using pay::trade;
using points::balance;
using points::kind;

pay::refund_request all_of(const sale::order& o) {
    return pay::whole_refund(o, pay::trade_number(o) + "R1");
}

constexpr std::int64_t price = 50;  // of every order of the fixture

class PointsChannelTest : public BookTest {
protected:
    PointsChannelTest() {
        auto made = std::make_unique<points_channel>(accounts_, clock_);
        channel_ = made.get();
        channels_.add(std::move(made));
    }
    void TearDown() override {
        EXPECT_THAT(book_of_points_.check().value(), testing::IsEmpty());
        EXPECT_THAT(verbs_.check(), testing::IsEmpty());
    }
    void grant(std::int64_t buyer, std::int64_t amount) {
        book_of_points_
            .grant({{buyer}, {amount}, "a gift", {1}, fmt::format("g{}", buyer)}, clock_.now())
            .value();
    }
    balance of(std::int64_t buyer) { return book_of_points_.balance_of({buyer}).value(); }
    std::string shown(const sale::promise& p) { return move_verbs::shown(orders_.find(p)); }
    checkout_step pay(const sale::promise& p) {
        return checkout_.begin(p.order, p.buyer, "points").value().step;
    }
    // What the payment inquiries do.
    inquiry_outcome inquire() {
        return checkout_.inquire(moves_.all_questions({}, 1).value().at(0)).value().outcome;
    }
    void lose(bool answers) {
        (answers ? accounts_.after : accounts_.before) = [] { return true; };
    }
    void mend() { accounts_.before = accounts_.after = nullptr; }

    std::unique_ptr<store::database> db_ = ledger::databases().at(1).open(directory_);
    points::account_book book_of_points_{*db_};
    points::scripted_accounts accounts_{book_of_points_};
    pay::channels channels_;
    points_channel* channel_ = nullptr;
    checkout checkout_{{moves_, channels_, settlement_, clock_}};
};

TEST_F(PointsChannelTest, AnOrderIsPaidAndItsPointsAreTaken) {
    grant(1, 80);
    const auto p = orders_.order(sale_, 1);
    EXPECT_EQ(pay(p), checkout_step::done);
    EXPECT_EQ(shown(p), "paid");
    EXPECT_EQ(of(1), (balance{{30}, {0}, {0}}));
    EXPECT_EQ(pay(p), checkout_step::no_effect) << "paid already";
    EXPECT_EQ(of(1), (balance{{30}, {0}, {0}}));
    EXPECT_EQ(news_.size(), 1U);
}

TEST_F(PointsChannelTest, ARefundGivesThePointsBackOnce) {
    grant(1, 80);
    const auto p = orders_.order(sale_, 1);
    ASSERT_EQ(pay(p), checkout_step::done);
    ASSERT_EQ(checkout_.ask_refund(p.order, p.buyer, {}).value().step, checkout_step::under_way);
    lose(true);
    EXPECT_EQ(inquire(), inquiry_outcome::unsure);
    mend();
    EXPECT_EQ(inquire(), inquiry_outcome::settled);
    EXPECT_EQ(shown(p), "refunded");
    EXPECT_EQ(of(1), (balance{{80}, {0}, {0}}));
    EXPECT_EQ(gate_.released.size(), 1U);
}

// A buyer who has too few must be free to pay in another way.
TEST_F(PointsChannelTest, TooFewPointsLeaveTheOrderAsItWas) {
    grant(1, price - 1);
    const auto p = orders_.order(sale_, 1);
    const std::string picture = orders_.picture();
    EXPECT_EQ(pay(p), checkout_step::not_enough);
    EXPECT_EQ(orders_.picture(), picture);
    EXPECT_EQ(of(1), (balance{{price - 1}, {0}, {0}}));
}

TEST_F(PointsChannelTest, PointsThatAreSpentElsewhereMeanwhileAreMissedToo) {
    grant(1, price);
    const auto p = orders_.order(sale_, 1);
    // The balance was looked at; then another order takes the points.
    accounts_.after = [&] {
        accounts_.after = nullptr;
        book_of_points_.try_spend({7}, {1}, {price}, clock_.now()).value();
        return false;
    };
    EXPECT_EQ(pay(p), checkout_step::not_enough);
    EXPECT_EQ(shown(p), "unpaid");
    book_of_points_.cancel({7}, kind::spend, clock_.now()).value();
    EXPECT_EQ(pay(p), checkout_step::done) << "when there are enough again";
}

TEST_F(PointsChannelTest, AnOrderWithoutAPriceInPointsIsRefused) {
    sale::order o = orders_.find(orders_.order(sale_, 1));
    grant(1, 80);
    EXPECT_EQ(channel_->refuses(o).value(), std::nullopt);
    o.amount_points = {0};
    EXPECT_EQ(channel_->refuses(o).value(), refusal::no_price);
}

TEST_F(PointsChannelTest, ALostAnswerIsMadeGoodByAskingAgain) {
    for (const bool answers : {false, true}) {
        const std::int64_t buyer = answers ? 1 : 2;
        grant(buyer, price);
        const auto p = orders_.order(sale_, buyer);
        int call = 0;
        (answers ? accounts_.after : accounts_.before) = [&] { return ++call == 2; };  // the try
        EXPECT_EQ(checkout_.begin(p.order, p.buyer, "points").error(), errc::store_unavailable);
        EXPECT_EQ(shown(p), "unpaid");
        EXPECT_EQ(of(buyer).reserved.value, answers ? price : 0);
        mend();
        EXPECT_EQ(pay(p), checkout_step::done);
        EXPECT_EQ(of(buyer), balance{});
    }
}

TEST_F(PointsChannelTest, PointsThatCouldNotBeTakenAtOnceStaySetAside) {
    grant(1, price);
    const auto p = orders_.order(sale_, 1);
    int call = 0;
    accounts_.before = [&] { return ++call == 3; };  // the balance, the try, then confirm
    EXPECT_EQ(pay(p), checkout_step::done);
    EXPECT_EQ(shown(p), "paid");
    EXPECT_EQ(of(1), (balance{{0}, {price}, {0}}));
    // A refund takes them first.
    mend();
    ASSERT_EQ(checkout_.ask_refund(p.order, p.buyer, {}).value().step, checkout_step::under_way);
    EXPECT_EQ(inquire(), inquiry_outcome::settled);
    EXPECT_EQ(of(1), (balance{{price}, {0}, {0}}));
}

TEST_F(PointsChannelTest, AClosedOrderGetsItsPointsBackAndTakesNoneLater) {
    grant(1, price);
    const auto p = orders_.order_in("unpaid", sale_, 1);
    ASSERT_TRUE(
        moves_.begin_payment(p.order, p.buyer, {"points", {{}, {price}}}, p.at).value().moved);
    const sale::order o = orders_.find(p);
    ASSERT_TRUE(channel_->begin(o).value().reserved);
    ASSERT_EQ(checkout_.cancel(p.order, p.buyer).value().step, checkout_step::under_way);
    // The thread that has set the points aside is slow: the ledger has decided otherwise.
    EXPECT_EQ(checkout_.take_reserved(p.order, "points").value().step, checkout_step::no_effect);
    EXPECT_EQ(inquire(), inquiry_outcome::settled);
    EXPECT_EQ(checkout_.take_reserved(p.order, "points").value().step, checkout_step::no_effect);
    EXPECT_EQ(shown(p), "closed cancelled");
    EXPECT_EQ(of(1), (balance{{price}, {0}, {0}}));
    EXPECT_EQ(channel_->begin(o).error(), errc::conflict);
}

// The points of an order that was paid in money meanwhile are not spent.
TEST_F(PointsChannelTest, AnOrderThatIsPaidInMoneyMeanwhileGetsItsPointsBack) {
    grant(1, price);
    const auto p = orders_.order(sale_, 1);
    ASSERT_TRUE(
        moves_.begin_payment(p.order, p.buyer, {"points", {{}, {price}}}, p.at).value().moved);
    ASSERT_TRUE(channel_->begin(orders_.find(p)).value().reserved);
    ASSERT_EQ(moves_.pay(p.order, "card", p.at).value().money, ledger::money_fate::taken);
    EXPECT_EQ(checkout_.take_reserved(p.order, "points").value().step, checkout_step::no_effect);
    EXPECT_EQ(of(1), (balance{{0}, {price}, {0}}));
    EXPECT_EQ(inquire(), inquiry_outcome::settled) << "its trade is closed";
    EXPECT_EQ(of(1), (balance{{price}, {0}, {0}}));
    EXPECT_EQ(shown(p), "paid");
}

TEST_F(PointsChannelTest, PointsPayAnOrderWhoseOtherTradeIsThenClosed) {
    grant(1, price);
    const auto p = orders_.order(sale_, 1);
    ASSERT_TRUE(moves_.begin_payment(p.order, p.buyer, {"card", {orders_.find(p).amount}}, p.at)
                    .value()
                    .moved);
    EXPECT_EQ(pay(p), checkout_step::done);
    EXPECT_EQ(of(1), balance{});
    const auto asked = moves_.all_questions({}, 10).value();
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_EQ(asked[0].method, "card");
    EXPECT_EQ(asked[0].what, ledger::question::close);
}

TEST_F(PointsChannelTest, PointsGoBackAllTogether) {
    grant(1, price);
    const auto p = orders_.order(sale_, 1);
    ASSERT_EQ(pay(p), checkout_step::done);
    const auto part = checkout_.ask_refund(p.order, p.buyer, {.amount = {1}}).value();
    EXPECT_EQ(part.step, checkout_step::too_much);
    EXPECT_EQ(part.left.value, 0) << "no money was paid";
    EXPECT_EQ(shown(p), "paid");
    ASSERT_EQ(checkout_.ask_refund(p.order, p.buyer, {}).value().step, checkout_step::under_way);
    EXPECT_EQ(moves_.all_questions({}, 1).value().at(0).refund.price, (sale::price{{}, {price}}));
    EXPECT_EQ(inquire(), inquiry_outcome::settled);
    EXPECT_EQ(shown(p), "refunded");
    EXPECT_EQ(of(1), (balance{{price}, {0}, {0}}));
}

TEST_F(PointsChannelTest, ATryThatComesAfterItsOrderWasClosedIsRefused) {
    grant(1, price);
    const auto p = orders_.order(sale_, 1);
    ASSERT_TRUE(
        moves_.begin_payment(p.order, p.buyer, {"points", {{}, {price}}}, p.at).value().moved);
    ASSERT_EQ(checkout_.cancel(p.order, p.buyer).value().step, checkout_step::under_way);
    clock_.set(orders_.deadline(p) + std::chrono::hours(1));
    EXPECT_EQ(inquire(), inquiry_outcome::settled);
    EXPECT_EQ(channel_->begin(orders_.find(p)).error(), errc::conflict);
    EXPECT_EQ(of(1), (balance{{price}, {0}, {0}}));
}

TEST_F(PointsChannelTest, TellsTheStateOfATrade) {
    grant(1, 2 * price);
    const sale::order o = orders_.find(orders_.order(sale_, 1));
    EXPECT_EQ(channel_->query(o), trade::open) << "it may still be begun";
    ASSERT_TRUE(channel_->begin(o));
    EXPECT_EQ(channel_->query(o), trade::open);
    channel_->settled(o);
    EXPECT_EQ(channel_->query(o), trade::paid);
    EXPECT_EQ(channel_->close(o), trade::paid) << "what is taken cannot be closed";
    const sale::order other = orders_.find(orders_.order(sale_, 2));
    EXPECT_EQ(channel_->close(other), trade::closed);
    EXPECT_EQ(channel_->query(other), trade::closed);
    lose(false);
    EXPECT_EQ(channel_->query(o), trade::unsure);
    EXPECT_EQ(channel_->close(o), trade::unsure);
    EXPECT_EQ(channel_->refund(o, all_of(o)), pay::refund_answer::unsure);
    EXPECT_EQ(channel_->refuses(o).error(), errc::store_unavailable);
}

TEST_F(PointsChannelTest, ARefundOfWhatWasNeverTakenIsDone) {
    grant(1, price);
    sale::order o = orders_.find(orders_.order(sale_, 1));
    o.state = sale::order_state::refunding;
    EXPECT_EQ(channel_->refund(o, all_of(o)), pay::refund_answer::done) << "nothing was tried";
    ASSERT_EQ(channel_->close(o), trade::closed);
    EXPECT_EQ(channel_->refund(o, all_of(o)), pay::refund_answer::done) << "it was given up";
    sale::order late = orders_.find(orders_.order(sale_, 2));
    grant(2, price);
    ASSERT_TRUE(channel_->begin(late));
    late.state = sale::order_state::closed;
    EXPECT_EQ(channel_->refund(late, all_of(late)), pay::refund_answer::done);
    EXPECT_EQ(of(2), (balance{{price}, {0}, {0}})) << "set aside, never taken";
}

}  // namespace
}  // namespace floodgate::shop
