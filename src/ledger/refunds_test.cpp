// Refunds in part and in full, and those of money that came late.

#include "ledger/move_fixture.hpp"

namespace floodgate::ledger {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class RefundContractTest : public MoveTest {
protected:
    result<move_outcome> ask(const sale::promise& p, const refund_wish& wish) {
        return moves_.ask_refund(p.order, std::nullopt, wish, p.at);
    }
    static refund_wish signed_wish() {
        audit_line line;
        line.at = noon;
        line.who = {7};
        line.action = "refund";
        line.subject = "order";
        return {.amount = {100},
                .reason = "broken",
                .cause = refund_cause::admin,
                .by = {7},
                .line = line};
    }
    // What was not moved, and why.
    void expect_refused(const sale::promise& p, const refund_wish& wish, obstacle why) {
        const std::string before = orders_.picture();
        const auto got = ask(p, wish).value();
        EXPECT_FALSE(got.moved);
        EXPECT_EQ(got.why_not, why);
        EXPECT_EQ(orders_.picture(), before);
    }
    std::string shown(const sale::promise& p) { return move_verbs::shown(orders_.find(p)); }
    std::int64_t marks() { return verbs_.number("SELECT COUNT(*) FROM orders WHERE mark = 0"); }

    refund_book refunds_{verbs_.db()};
};
INSTANTIATE_TEST_SUITE_P(Over, RefundContractTest, testing::ValuesIn(databases()), name_of);

TEST_P(RefundContractTest, InPartAndThenTheRest) {
    const auto p = orders_.order_in("paid", sale_, 1);
    const auto asked = orders_.ask_refund(p, {.amount = {2500}, .reason = "a scratch"});
    EXPECT_EQ(move_verbs::shown(asked.order), "refunding");
    EXPECT_EQ(asked.order.refunded.value, 0) << "not before the channel says so";
    const auto part = orders_.finish_refund(p);
    EXPECT_GT(part.event, asked.event);
    EXPECT_EQ(move_verbs::shown(part.order), "paid");
    EXPECT_EQ(part.order.refunded.value, 2500);
    EXPECT_EQ(orders_.find(p).refunded.value, 2500);
    EXPECT_EQ(verbs_.held(sale_), 1);
    EXPECT_EQ(marks(), 1) << "the buyer keeps the unit and the place";
    EXPECT_THAT(verbs_.check(), IsEmpty());

    EXPECT_TRUE(orders_.ask_refund(p).moved);
    EXPECT_THAT(orders_.refunds(p),
                ElementsAre("1001R1 buyer test 2500 done", "1001R2 buyer test 7400 asked"));
    const auto done = orders_.finish_refund(p);
    EXPECT_EQ(move_verbs::shown(done.order), "refunded");
    EXPECT_EQ(done.order.refunded.value, 9900);
    EXPECT_EQ(verbs_.held(sale_), 0);
    EXPECT_EQ(marks(), 0);
    EXPECT_EQ(orders_.last_line(sale_).note, "order 1001 refund_done");
    EXPECT_THAT(orders_.mailbox(1),
                ElementsAre("1001 unpaid>paid", "1001 paid>refunding", "1001 refunding>paid",
                            "1001 paid>refunding", "1001 refunding>refunded"));
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(RefundContractTest, ThePartsMayAddUpToEverything) {
    const auto p = orders_.order_in("paid", sale_, 1);
    for (const std::int64_t amount : {9000, 899, 1}) {
        EXPECT_EQ(shown(p), "paid");
        orders_.ask_refund(p, {.amount = {amount}});
        orders_.finish_refund(p);
    }
    EXPECT_EQ(shown(p), "refunded");
    EXPECT_EQ(verbs_.held(sale_), 0);
    expect_refused(p, {}, obstacle::state);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(RefundContractTest, NotMoreThanThereIsAndNotLessThanNothing) {
    const auto p = orders_.order_in("part", sale_, 1);
    expect_refused(p, {.amount = {9801}}, obstacle::too_much);
    expect_refused(p, {.amount = {INT64_MAX}}, obstacle::too_much);
    EXPECT_EQ(outcome(ask(p, {.amount = {-1}})), errc::invalid);
    EXPECT_TRUE(ask(p, {.amount = {9800}}).value().moved);
}

TEST_P(RefundContractTest, OnlyForAsLongAsItIsAllowed) {
    const auto p = orders_.order_in("paid", sale_, 1);
    const refund_wish wish{.within = milliseconds(500)};
    const auto at = [&](int after) {
        return moves_.ask_refund(p.order, p.buyer, wish, p.at + milliseconds(after)).value();
    };
    EXPECT_EQ(at(501).why_not, obstacle::too_late);
    EXPECT_EQ(shown(p), "paid");
    EXPECT_TRUE(at(500).moved) << "counted from the payment";
    const auto q = orders_.order_in("paid", sale_, 2);
    EXPECT_TRUE(moves_.ask_refund(q.order, {}, {}, q.at + std::chrono::hours(9999)).value().moved);
}

TEST_P(RefundContractTest, OneAtATime) {
    const auto p = orders_.order_in("paid", sale_, 1);
    EXPECT_TRUE(ask(p, {.amount = {100}}).value().moved);
    expect_refused(p, {.amount = {100}}, obstacle::state);
    expect_refused(p, {}, obstacle::state);
    EXPECT_FALSE(moves_.finish_refund(p.order, "1001R2", p.at).value().moved);
    EXPECT_TRUE(moves_.finish_refund(p.order, "1001R1", p.at).value().moved);
    EXPECT_FALSE(moves_.finish_refund(p.order, "1001R1", p.at).value().moved) << "said again";
    EXPECT_EQ(orders_.find(p).refunded.value, 100);
    EXPECT_TRUE(ask(p, {.amount = {100}}).value().moved);
    EXPECT_FALSE(moves_.finish_refund(p.order, "1001R1", p.at).value().moved) << "the old one";
    EXPECT_EQ(shown(p), "refunding");
}

TEST_P(RefundContractTest, AReasonHasItsLength) {
    const auto p = orders_.order_in("paid", sale_, 1);
    EXPECT_EQ(outcome(ask(p, {.reason = std::string(201, 'x')})), errc::invalid);
    EXPECT_EQ(shown(p), "paid");
    EXPECT_TRUE(ask(p, {.reason = std::string(200, 'x')}).value().moved);
    EXPECT_EQ(refunds_.of(p.order).value().at(0).reason.size(), 200U);
}

TEST_P(RefundContractTest, AnAdminsLineIsWrittenWithTheRefundAndNotWithoutIt) {
    const auto lines = [&] { return verbs_.number("SELECT COUNT(*) FROM audit"); };
    const auto unpaid = orders_.order(sale_, 1), p = orders_.order_in("paid", sale_, 2);
    const auto before = lines();
    expect_refused(unpaid, signed_wish(), obstacle::state);
    auto too_much = signed_wish();
    too_much.amount = {9901};
    expect_refused(p, too_much, obstacle::too_much);
    EXPECT_EQ(outcome(moves_.ask_refund({7}, {}, signed_wish(), noon)), errc::not_found);
    EXPECT_EQ(lines(), before);
    EXPECT_TRUE(ask(p, signed_wish()).value().moved);
    EXPECT_EQ(lines(), before + 1);
    EXPECT_EQ(book_.audit().list(0, 1).value().at(0).action, "refund");
    const refund made = refunds_.of(p.order).value().at(0);
    EXPECT_EQ(made.cause, refund_cause::admin);
    EXPECT_EQ(made.reason, "broken");
    EXPECT_EQ(made.asked_by.value, 7);
    orders_.order_in("refunding", sale_, 3);
    EXPECT_EQ(lines(), before + 1) << "a buyer's own refund is no act of an admin";
}

TEST_P(RefundContractTest, PointsGoBackAllTogether) {
    const auto p = orders_.order(sale_, 1);
    moves_.begin_payment(p.order, p.buyer, {"points", {{}, {50}}}, p.at).value();
    orders_.pay(p, "points");
    expect_refused(p, {.amount = {1}}, obstacle::too_much);
    EXPECT_TRUE(orders_.ask_refund(p).moved);
    EXPECT_EQ(refunds_.of(p.order).value().at(0).price, (sale::price{{}, {50}}));
    EXPECT_THAT(verbs_.check(), IsEmpty());
    EXPECT_EQ(move_verbs::shown(orders_.finish_refund(p).order), "refunded");
    EXPECT_EQ(verbs_.held(sale_), 0);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(RefundContractTest, LateMoneyHasANumberThatDoesNotChange) {
    const auto p = orders_.order_in("late", sale_, 1);
    const auto expected = ElementsAre("1001E-test late test 9900 asked");
    EXPECT_THAT(orders_.refunds(p), expected);
    EXPECT_FALSE(orders_.pay(p).moved);
    move_book after_a_start(verbs_.db());
    EXPECT_FALSE(after_a_start.pay(p.order, method, p.at).value().moved);
    EXPECT_THAT(orders_.refunds(p), expected);
    EXPECT_EQ(orders_.pay(p, other_method).money, money_fate::late) << "and that of another method";
    EXPECT_THAT(orders_.refunds(p), ElementsAre("1001E-other late other 9900 asked",
                                                "1001E-test late test 9900 asked"));
    EXPECT_TRUE(after_a_start.finish_refund(p.order, "1001E-test", p.at).value().moved);
    EXPECT_FALSE(after_a_start.pay(p.order, method, p.at).value().moved) << "also when it is back";
    EXPECT_TRUE(after_a_start.finish_refund(p.order, "1001E-other", p.at).value().moved);
    EXPECT_EQ(shown(p), "closed cancelled");
    EXPECT_EQ(orders_.find(p).refunded.value, 0) << "it was never the order's";
    EXPECT_EQ(verbs_.held(sale_), 0);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(RefundContractTest, MoneyForAnOrderThatFailedGoesBack) {
    const auto p = orders_.order_in("failed", sale_, 1);
    EXPECT_EQ(orders_.pay(p).money, money_fate::late);
    EXPECT_TRUE(orders_.finish_refund(p).moved);
    EXPECT_EQ(shown(p), "failed unknown_sale");
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(RefundContractTest, ExtraMoneyAndTheOrdersOwnGoBackEachByItself) {
    const auto p = orders_.order_in("twice", sale_, 1);
    EXPECT_TRUE(orders_.ask_refund(p).moved);
    EXPECT_THAT(orders_.refunds(p),
                ElementsAre("1001E-other twice other 9900 asked", "1001R2 buyer test 9900 asked"));
    EXPECT_THAT(verbs_.check(), IsEmpty());
    EXPECT_EQ(moves_.finish_refund(p.order, "1001R2", p.at).value().order.state,
              sale::order_state::refunded);
    EXPECT_THAT(verbs_.check(), IsEmpty());
    EXPECT_TRUE(moves_.finish_refund(p.order, "1001E-other", p.at).value().moved);
    EXPECT_EQ(orders_.find(p).refunded.value, 9900);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(RefundContractTest, ExtraMoneyIsListedInPagesThatPartNoOrder) {
    const auto a = orders_.order_in("late", sale_, 1), b = orders_.order_in("twice", sale_, 2),
               c = orders_.order_in("late", sale_, 3);
    orders_.order_in("refunding", sale_, 4);
    orders_.pay(c, other_method);
    const auto page = [&](sale::order_no before, std::size_t max) {
        std::vector<std::string> all;
        for (const refund& r : refunds_.extra(before, max).value()) all.push_back(r.number);
        return all;
    };
    EXPECT_THAT(page({INT64_MAX}, 1), ElementsAre("1003E-other", "1003E-test"));
    EXPECT_THAT(page({INT64_MAX}, 3), ElementsAre("1003E-other", "1003E-test", "1002E-other"));
    EXPECT_THAT(page(c.order, 9), ElementsAre("1002E-other", "1001E-test"));
    EXPECT_THAT(page(a.order, 9), IsEmpty());
    orders_.finish_refund(b);
    EXPECT_EQ(page({INT64_MAX}, 9).size(), 4U) << "also what is back";
    EXPECT_EQ(refunds_.count_extra(a.at).value(), 4);
    EXPECT_EQ(refunds_.count_extra(c.at).value(), 2);
    EXPECT_EQ(refunds_.count_extra(c.at + milliseconds(1)).value(), 0);
}

}  // namespace
}  // namespace floodgate::ledger
