#include "jobs/points_settler.hpp"

#include "jobs/points_fixture.hpp"

namespace floodgate::jobs {
namespace {

using namespace std::chrono_literals;
using points::balance;
using points::kind;
using points::try_state;

struct PointsSettlerTest : PointsLife {
    // An order with points set aside, as an interrupted payment leaves it.
    sale::order interrupted(std::int64_t buyer) {
        grant(buyer, price);
        const sale::order o = buy_with(buyer, "points");
        EXPECT_TRUE(channel_->begin(o).value().reserved);
        return o;
    }
    void settle() {
        clock_.advance(6s);
        settler_.step();
    }
    points_figures figures() { return settler_.read_figures(); }
};

TEST_F(PointsSettlerTest, APaymentThatWasInterruptedBeforeTheLedgerIsFinished) {
    const auto o = interrupted(1);
    clock_.advance(4s);
    settler_.step();
    EXPECT_EQ(state(o.no), "unpaid") << "it may still be on its way";
    settle();
    EXPECT_EQ(state(o.no), "paid");
    EXPECT_EQ(try_of(o.no), try_state::confirmed);
    EXPECT_EQ(told(o.no), std::vector<std::string>{"paid"});
    EXPECT_EQ(figures().confirmed, 1U);
    settle();
    EXPECT_EQ(figures().confirmed, 1U);
    EXPECT_EQ(figures().open, 0U);
}

TEST_F(PointsSettlerTest, PointsOfAPaidOrderAreTaken) {
    const auto paid = interrupted(1), refunding = interrupted(2);
    for (const auto& o : {paid, refunding})
        ASSERT_TRUE(moves_.pay_reserved(o.no, "points", clock_.now()).value().moved);
    ASSERT_TRUE(moves_.ask_refund(refunding.no, sale::user_id{2}, {}, clock_.now()).value().moved);
    settle();
    EXPECT_EQ(try_of(paid.no), try_state::confirmed);
    EXPECT_EQ(try_of(refunding.no), try_state::confirmed);
    EXPECT_EQ(figures().confirmed, 2U);
}

TEST_F(PointsSettlerTest, PointsOfAnOrderThatCameToNothingAreGivenUp) {
    const auto closed = interrupted(1);
    ASSERT_TRUE(moves_.cancel(closed.no, {1}, clock_.now()).value().moved);
    settle();
    EXPECT_EQ(try_of(closed.no), try_state::open) << "the inquiry decides";
    EXPECT_EQ(figures().open, 1U);
    ASSERT_TRUE(moves_.close(closed.no, "points", clock_.now()).value().moved);
    settle();
    EXPECT_EQ(try_of(closed.no), try_state::cancelled);
    EXPECT_EQ(of(1), (balance{{price}, {0}, {0}}));
    EXPECT_EQ(figures().cancelled, 1U);
}

TEST_F(PointsSettlerTest, AStrayTryIsGivenUpAfterAnHour) {
    grant(1, 3 * price);
    const auto by_card = buy_with(1, "test");  // its ledger was restored from before the points
    ASSERT_TRUE(moves_.pay(by_card.no, "test", clock_.now()).value().moved);
    const auto not_begun = buy(2);
    accounts_.try_spend({7}, {1}, {price}, clock_.now()).value();
    accounts_.try_spend(by_card.no, {1}, {price}, clock_.now()).value();
    accounts_.try_spend(not_begun.no, {1}, {price}, clock_.now()).value();
    clock_.advance(59min);
    settle();
    EXPECT_EQ(of(1).reserved.value, 3 * price);
    clock_.advance(1min);
    settle();
    EXPECT_EQ(of(1), (balance{{3 * price}, {0}, {0}}));
    EXPECT_EQ(figures().cancelled, 3U);
    EXPECT_EQ(state(not_begun.no), "unpaid");
}

TEST_F(PointsSettlerTest, AFailingStoreIsAskedAgainAtTheNextStep) {
    const auto o = interrupted(1);
    break_ledger();
    settle();
    mend_ledger();
    scripted_.before = [] { return true; };
    settle();
    EXPECT_EQ(try_of(o.no), try_state::open);
    scripted_.before = nullptr;
    settle();
    EXPECT_EQ(try_of(o.no), try_state::confirmed);
    EXPECT_EQ(state(o.no), "paid");
}

TEST_F(PointsSettlerTest, PromisedEarnsAreNotItsBusinessHoweverManyThereAre) {
    for (std::uint64_t order = 1; order <= points::page_max; ++order)
        accounts_.try_earn({order}, {1}, {5}, clock_.now()).value();
    clock_.advance(24h);
    const auto o = interrupted(1);
    settle();
    EXPECT_EQ(accounts_.state_of({7}, kind::earn).value(), try_state::open);
    EXPECT_EQ(try_of(o.no), try_state::confirmed);
    EXPECT_EQ(figures().open, 0U);
}

}  // namespace
}  // namespace floodgate::jobs
