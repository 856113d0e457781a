// When a move makes a buyer earn points, and when it calls them in.

#include "ledger/move_batch.hpp"
#include "ledger/move_fixture.hpp"

namespace floodgate::ledger {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class EarningsContractTest : public MoveTest {
protected:
    static constexpr std::int64_t each = 7;

    // "1001 1 owed 7": order, buyer, state and points.
    std::vector<std::string> earned() {
        std::vector<std::string> all;
        book_.earnings()
            .for_each([&](const earning& e) {
                all.push_back(fmt::format("{} {} {} {}", e.order.value, e.buyer.value,
                                          to_text(e.state), e.amount.value));
            })
            .value();
        return all;
    }
    earning of(const sale::promise& p) { return book_.earnings().find(p.order).value(); }
    void become(const sale::promise& p, earning_state state, instant due) {
        const std::vector<earning_change> one{{of(p), state, due}};
        ASSERT_EQ(book_.earnings().change(one).value(), 1U);
    }
    void TearDown() override { EXPECT_THAT(verbs_.check(), IsEmpty()); }

    sale::sale_id generous_ = verbs_.add_sale({.stock = 1000, .limit = 1000, .earns_points = each});
};
INSTANTIATE_TEST_SUITE_P(Over, EarningsContractTest, testing::ValuesIn(databases()), name_of);

TEST_P(EarningsContractTest, APaymentWithMoneyOwesTheBuyerPointsForEachUnit) {
    const auto one = orders_.order(generous_, 1), three = orders_.order(generous_, 2, 3);
    orders_.begin(one);
    EXPECT_THAT(earned(), IsEmpty()) << "it is only begun";
    EXPECT_TRUE(orders_.pay(one).moved);
    EXPECT_TRUE(orders_.pay(three).moved) << "by a message, without a trade";
    EXPECT_THAT(earned(), ElementsAre("1001 1 owed 7", "1002 2 owed 21"));
    EXPECT_EQ(of(one).paid_at, one.at);
    EXPECT_EQ(of(one).due, one.at);
}

TEST_P(EarningsContractTest, NothingIsOwedWithoutThatSettingOrWithoutMoney) {
    EXPECT_TRUE(orders_.pay(orders_.order(sale_, 1)).moved) << "a sale that gives no points";
    const auto by_points = orders_.order(generous_, 2);
    moves_.begin_payment(by_points.order, {2}, {"points", {{}, {50}}}, noon).value();
    EXPECT_TRUE(moves_.pay_reserved(by_points.order, "points", noon).value().moved);
    EXPECT_THAT(earned(), IsEmpty());
}

TEST_P(EarningsContractTest, MoneyThatComesLateOrTwiceEarnsNothing) {
    orders_.order_in("late", generous_, 1);
    EXPECT_THAT(earned(), IsEmpty());
    orders_.order_in("twice", generous_, 2);
    EXPECT_THAT(earned(), ElementsAre("1002 2 owed 7"));
}

TEST_P(EarningsContractTest, WhatTheSaleSaysAtThePaymentCounts) {
    const auto before = orders_.order(generous_, 1), after = orders_.order(generous_, 2);
    verbs_.sql(fmt::format("UPDATE sales SET earns_points = 9 WHERE id = {}", generous_.value));
    orders_.pay(before);
    verbs_.sql(fmt::format("UPDATE sales SET earns_points = 0 WHERE id = {}", generous_.value));
    orders_.pay(after);
    EXPECT_THAT(earned(), ElementsAre("1001 1 owed 9"));
}

TEST_P(EarningsContractTest, AnOrderEarnsNoMoreThanAnAccountTakesAtOnce) {
    verbs_.sql(fmt::format("UPDATE sales SET earns_points = {} WHERE id = {}", sale::points_max,
                           generous_.value));
    orders_.pay(orders_.order(generous_, 1, 1000));
    EXPECT_THAT(earned(), ElementsAre(fmt::format("1001 1 owed {}", sale::points_max)));
}

TEST_P(EarningsContractTest, AFullRefundCallsOpenPointsInAndNoOthers) {
    const auto owed = orders_.order_in("refunding", generous_, 1);
    const auto promised = orders_.order_in("refunding", generous_, 2);
    const auto given = orders_.order_in("refunding", generous_, 3);
    const auto not_refunded = orders_.order_in("refunding", generous_, 4);
    become(promised, earning_state::promised, noon + std::chrono::hours(9));
    become(given, earning_state::given, noon);
    for (const auto& p : {owed, promised, given}) EXPECT_GT(orders_.finish_refund(p).event, 0);
    EXPECT_EQ(of(owed).due, from_ms(0));
    EXPECT_EQ(of(promised).due, from_ms(0));
    EXPECT_EQ(of(promised).state, earning_state::promised);
    EXPECT_EQ(of(given).due, noon);
    EXPECT_EQ(of(not_refunded).due, not_refunded.at);
}

TEST_P(EarningsContractTest, ARefundInPartLeavesThem) {
    const auto p = orders_.order_in("part", generous_, 1);
    EXPECT_EQ(of(p).due, p.at);
    EXPECT_THAT(earned(), ElementsAre("1001 1 owed 7"));
}

TEST_P(EarningsContractTest, ManyMovesThatShareATransactionAreAllNoted) {
    std::vector<move_request> wanted;
    std::vector<std::string> expected;
    const auto refunded = orders_.order_in("refunding", generous_, 99);
    wanted.push_back({.kind = move_kind::finish_refund,
                      .order = refunded.order,
                      .now = noon,
                      .refund_number = "1001R1"});
    expected.emplace_back("1001 99 owed 7");
    for (std::int64_t buyer = 2; buyer <= 10; ++buyer) {
        const auto p = orders_.order(buyer % 3 == 0 ? sale_ : generous_, buyer);
        wanted.push_back({.kind = move_kind::pay, .order = p.order, .now = noon, .method = method});
        if (buyer % 3 != 0) expected.push_back(fmt::format("{} {} owed 7", 1000 + buyer, buyer));
    }
    std::vector<move_answer> answers(wanted.size());
    std::vector<batched_move> batch;
    for (std::size_t i = 0; i < wanted.size(); ++i) batch.push_back({&wanted[i], &answers[i]});
    {
        const auto c = verbs_.db().writer();
        store::transaction t(*c, store::access::write);
        ASSERT_TRUE(make_moves(*c, batch));
        t.commit();
    }
    EXPECT_EQ(earned(), expected);
    EXPECT_EQ(of(refunded).due, from_ms(0));
}

}  // namespace
}  // namespace floodgate::ledger
