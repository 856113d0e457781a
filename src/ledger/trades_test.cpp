// An order that its buyer began to pay with two methods.

#include "ledger/move_fixture.hpp"

namespace floodgate::ledger {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::array both_ways{std::pair{method, other_method}, std::pair{other_method, method}};

class TradesContractTest : public MoveTest {
protected:
    sale::promise begun_twice() {
        const auto p = orders_.order(sale_, ++buyer_);
        EXPECT_TRUE(orders_.begin(p, method).moved);
        EXPECT_TRUE(orders_.begin(p, other_method).moved);
        return p;
    }
    // "1001 test close", "1001 test refund"
    std::vector<std::string> asked() {
        std::vector<std::string> all;
        for (const auto& q : moves_.all_questions({}, 100).value())
            all.push_back(fmt::format("{} {} {}", q.order.no.value, q.method,
                                      q.what == question::close ? "close" : "refund"));
        return all;
    }
    std::string shown(const sale::promise& p) { return move_verbs::shown(orders_.find(p)); }
    static std::string number_of(const sale::promise& p, const char* rest) {
        return std::to_string(p.order.value) + rest;
    }

    std::int64_t buyer_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Over, TradesContractTest, testing::ValuesIn(databases()), name_of);

TEST_P(TradesContractTest, WhicheverIsPaidTheOtherIsAskedToClose) {
    for (const auto& [first, second] : both_ways) {
        const auto p = begun_twice();
        EXPECT_THAT(asked(), IsEmpty());
        const auto got = orders_.pay(p, first);
        EXPECT_EQ(got.money, money_fate::taken);
        EXPECT_EQ(move_verbs::shown(got.order), "paid");
        EXPECT_THAT(asked(), ElementsAre(number_of(p, " ") + second + " close"));
        EXPECT_TRUE(orders_.close(p, second).moved);
        EXPECT_EQ(shown(p), "paid");
        EXPECT_THAT(asked(), IsEmpty());
        EXPECT_FALSE(orders_.close(p, second).moved) << "the channel says it again";
        EXPECT_EQ(moves_.find(p.order).value().paid_with, first);
    }
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(TradesContractTest, WhenBothArePaidTheSecondGoesBackUnderOneNumber) {
    for (const auto& [first, second] : both_ways) {
        const auto p = begun_twice();
        orders_.pay(p, first);
        const auto twice = orders_.pay(p, second);
        EXPECT_TRUE(twice.moved);
        EXPECT_EQ(twice.money, money_fate::twice);
        EXPECT_EQ(twice.event, 0) << "the order is what it was";
        const std::string refund = number_of(p, "E-") + second + " twice " + second + " 9900";
        EXPECT_THAT(orders_.refunds(p), ElementsAre(refund + " asked"));
        EXPECT_THAT(asked(), ElementsAre(number_of(p, " ") + second + " refund"))
            << "and nobody closes what was paid";

        const std::string before = orders_.picture();
        for (const char* again : {first, second}) {
            const auto known = orders_.pay(p, again);
            EXPECT_FALSE(known.moved);
            EXPECT_EQ(known.money, money_fate::none);
        }
        EXPECT_EQ(orders_.picture(), before) << "a message that comes again";

        EXPECT_TRUE(orders_.finish_refund(p).moved);
        EXPECT_THAT(orders_.refunds(p), ElementsAre(refund + " done"));
        EXPECT_FALSE(orders_.pay(p, second).moved) << "also after the refund";
        EXPECT_EQ(shown(p), "paid");
        EXPECT_EQ(orders_.find(p).refunded.value, 0);
        EXPECT_THAT(verbs_.check(), IsEmpty());
    }
    EXPECT_EQ(verbs_.held(sale_), 2);
}

TEST_P(TradesContractTest, ACancelledOrderClosesWhenTheLastTradeDoes) {
    for (const auto& [first, second] : both_ways) {
        const auto p = begun_twice();
        EXPECT_TRUE(orders_.cancel(p).moved);
        EXPECT_THAT(orders_.trades(p), ElementsAre("other open asked", "test open asked"));
        const auto one = orders_.close(p, first);
        EXPECT_TRUE(one.moved);
        EXPECT_EQ(one.event, 0);
        EXPECT_EQ(shown(p), "unpaid closing cancelled");
        EXPECT_EQ(verbs_.held(sale_), 1) << "the other may still be paid";
        EXPECT_THAT(verbs_.check(), IsEmpty());
        EXPECT_GT(orders_.close(p, second).event, 0);
        EXPECT_EQ(shown(p), "closed cancelled");
        EXPECT_EQ(verbs_.held(sale_), 0);
        EXPECT_THAT(asked(), IsEmpty());
    }
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(TradesContractTest, SoDoesOneThatWasNotPaidInTime) {
    const auto p = begun_twice();
    EXPECT_EQ(move_verbs::shown(orders_.time_out(p).order), "unpaid closing timed_out");
    EXPECT_THAT(asked(), ElementsAre("1001 other close", "1001 test close"));
    EXPECT_EQ(orders_.close(p, other_method).event, 0);
    EXPECT_EQ(verbs_.held(sale_), 1);
    EXPECT_GT(orders_.close(p, method).event, 0);
    EXPECT_EQ(shown(p), "closed timed_out");
    EXPECT_EQ(verbs_.held(sale_), 0);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(TradesContractTest, OnePaidWhileTheOrderIsBeingClosedWins) {
    for (const bool other_is_closed : {false, true}) {
        const auto p = begun_twice();
        orders_.cancel(p);
        if (other_is_closed) orders_.close(p, other_method);
        EXPECT_EQ(orders_.pay(p).money, money_fate::taken);
        EXPECT_EQ(shown(p), "paid");
        EXPECT_EQ(asked().size(), other_is_closed ? 0U : 1U);
        orders_.close(p, other_method);
        EXPECT_EQ(shown(p), "paid");
        EXPECT_THAT(asked(), IsEmpty());
    }
    EXPECT_EQ(verbs_.held(sale_), 2);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(TradesContractTest, ATradeThatItsChannelClosedLeavesTheOtherMethod) {
    const auto p = begun_twice();
    const auto closed = orders_.close(p);
    EXPECT_TRUE(closed.moved);
    EXPECT_EQ(closed.event, 0);
    EXPECT_EQ(shown(p), "unpaid");
    const auto again = orders_.begin(p);
    EXPECT_FALSE(again.moved);
    EXPECT_EQ(again.why_not, obstacle::trade_closed);
    EXPECT_TRUE(orders_.begin(p, other_method).moved);
    EXPECT_EQ(orders_.pay(p, other_method).money, money_fate::taken);
    EXPECT_THAT(orders_.trades(p), ElementsAre("other paid", "test closed"));
    EXPECT_THAT(verbs_.check(), IsEmpty());

    const auto only = orders_.order_in("begun", sale_, 50);
    orders_.close(only);
    EXPECT_TRUE(orders_.begin(only, other_method).moved) << "one that was not begun before";
    const auto none = orders_.order_in("begun", sale_, 51);
    orders_.close(none);
    EXPECT_GT(orders_.cancel(none).event, 0) << "no channel is to be asked";
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(TradesContractTest, MoneyOfAClosedTradeIsMoneyNevertheless) {
    const auto p = orders_.order_in("begun", sale_, 1);
    orders_.close(p);
    EXPECT_EQ(orders_.pay(p).money, money_fate::taken);
    EXPECT_EQ(shown(p), "paid");
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(TradesContractTest, EveryPriceIsItsChannels) {
    const auto p = orders_.order(sale_, 1);
    moves_.begin_payment(p.order, p.buyer, {"points", {{}, {50}}}, p.at).value();
    orders_.begin(p);
    orders_.pay(p);
    orders_.pay(p, "points");
    const auto back = refund_book(verbs_.db()).of(p.order).value().at(0);
    EXPECT_EQ(back.price, (sale::price{{}, {50}}));
    EXPECT_EQ(back.method, "points");
    EXPECT_EQ(back.asked_at, p.at);
    EXPECT_FALSE(back.is_done());
    EXPECT_EQ(book_.orders().find(p.order).value().amount_points.value, 50);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(TradesContractTest, ATradeThatMakesNoSenseIsLeftAlone) {
    const auto odd = orders_.order_in("begun", sale_, 1),
               paid = orders_.order_in("begun", sale_, 2), sound = orders_.order(sale_, 3);
    verbs_.sql("UPDATE trades SET state = 'odd' WHERE order_no = 1001");
    verbs_.sql("UPDATE trades SET state = 'paid' WHERE order_no = 1002");
    for (const auto& p : {odd, paid})
        for (const act a : {act::begin, act::cancel, act::pay, act::pay_other, act::close})
            EXPECT_EQ(outcome(orders_.perform(a, p)), errc::corrupt) << to_text(a);
    const auto due = moves_.close_due(noon + std::chrono::hours(1), 1).value();
    ASSERT_EQ(due.closed.size(), 1U) << "they do not hold up the others";
    EXPECT_EQ(due.closed[0].order.no, sound.order);
    EXPECT_EQ(moves_.close_due(noon + std::chrono::hours(1), 1).value().found, 0U);
    EXPECT_EQ(verbs_.held(sale_), 2) << "nobody knows whether they were paid";
}

}  // namespace
}  // namespace floodgate::ledger
