// One order at a time. Every state against every move is in move_matrix_test.cpp.

#include "ledger/move_fixture.hpp"

namespace floodgate::ledger {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class MoveContractTest : public MoveTest {};
INSTANTIATE_TEST_SUITE_P(Over, MoveContractTest, testing::ValuesIn(databases()), name_of);

TEST_P(MoveContractTest, APaidOrderKeepsItsUnitAndTheBuyersPlace) {
    const auto p = orders_.order(sale_, 1);
    orders_.begin(p);
    const auto lines = verbs_.number("SELECT COUNT(*) FROM stock_log");
    const auto got = orders_.pay(p);
    EXPECT_TRUE(got.moved);
    EXPECT_EQ(got.event, moves_.latest_event_of({1}).value());
    EXPECT_EQ(move_verbs::shown(got.order), "paid");
    EXPECT_EQ(move_verbs::shown(orders_.find(p)), "paid");
    EXPECT_EQ(verbs_.held(sale_), 1);
    EXPECT_EQ(verbs_.number("SELECT COUNT(*) FROM stock_log"), lines) << "no figure has moved";
    EXPECT_EQ(verbs_.enter({verbs_.promise(sale_, 1)}).refused, 1U);
    EXPECT_THAT(orders_.mailbox(1), ElementsAre("1001 unpaid>paid"));
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(MoveContractTest, MoneyThatNobodyBeganToPayIsBookedToo) {
    const auto p = orders_.order(sale_, 1);
    EXPECT_TRUE(orders_.pay(p).moved);
    EXPECT_EQ(verbs_.state(p), "paid");
    EXPECT_TRUE(orders_.ask_refund(p).moved);
    const auto asked = moves_.open_questions(p.at, 9).value();
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_EQ(asked[0].method, method);
    EXPECT_EQ(asked[0].refund.price, move_verbs::price_of(p));
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(MoveContractTest, ACancelledOrderGivesItsUnitsBackAndItsBuyerMayBuyAgain) {
    const auto wide = verbs_.add_sale({.stock = 9, .limit = 3});
    orders_.order(wide, 2);
    const auto p = orders_.order(wide, 1, 3);
    const auto got = orders_.cancel(p);
    EXPECT_TRUE(got.moved);
    EXPECT_GT(got.event, 0);
    EXPECT_EQ(move_verbs::shown(got.order), "closed cancelled");
    EXPECT_EQ(verbs_.state(p), "closed cancelled");
    EXPECT_EQ(verbs_.held(wide), 1);
    const stock_move line = orders_.last_line(wide);
    EXPECT_EQ(line.kind, "released");
    EXPECT_EQ(line.note, "order 1002 cancelled");
    EXPECT_EQ(line.held_before, 4);
    EXPECT_EQ(line.held_after, 1);
    EXPECT_EQ(line.at, p.at);
    EXPECT_THAT(orders_.mailbox(1), ElementsAre("1002 unpaid>closed cancelled"));
    EXPECT_EQ(verbs_.enter({verbs_.promise(wide, 1, 3)}).entered, 1U);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(MoveContractTest, AnOrderSomebodyBeganToPayWaitsForItsChannel) {
    const auto p = orders_.order(sale_, 1);
    orders_.begin(p);
    const auto got = orders_.cancel(p);
    EXPECT_TRUE(got.moved);
    EXPECT_EQ(got.event, 0);
    EXPECT_EQ(move_verbs::shown(got.order), "unpaid closing cancelled");
    EXPECT_EQ(move_verbs::shown(orders_.find(p)), "unpaid closing cancelled");
    EXPECT_EQ(book_.orders().of_buyer({1}, {}, 9).value().at(0).closing, "cancelled");
    EXPECT_EQ(verbs_.held(sale_), 1);
    EXPECT_THAT(orders_.mailbox(1), IsEmpty());
    EXPECT_FALSE(orders_.cancel(p).moved);

    const auto closed = orders_.close(p);
    EXPECT_TRUE(closed.moved);
    EXPECT_EQ(move_verbs::shown(closed.order), "closed cancelled");
    EXPECT_EQ(move_verbs::shown(orders_.find(p)), "closed cancelled");
    EXPECT_EQ(verbs_.held(sale_), 0);
    EXPECT_EQ(moves_.count_questions().value(), 0);
    EXPECT_FALSE(orders_.close(p).moved);
    EXPECT_THAT(orders_.mailbox(1), ElementsAre("1001 unpaid>closed cancelled"));
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(MoveContractTest, TheMoneyDecidesWhileAnOrderIsBeingClosed) {
    const auto p = orders_.order_in("closing", sale_, 1);
    const auto got = orders_.pay(p);
    EXPECT_TRUE(got.moved);
    EXPECT_EQ(move_verbs::shown(got.order), "paid");
    EXPECT_EQ(move_verbs::shown(orders_.find(p)), "paid");
    EXPECT_EQ(moves_.count_questions().value(), 0);
    EXPECT_FALSE(orders_.close(p).moved);
    EXPECT_EQ(verbs_.held(sale_), 1);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

// Of all states, only an unpaid order that is not being closed and whose payment was begun with the
// method that has set the price aside.
TEST_P(MoveContractTest, APriceThatIsSetAsideDoesNotOvertakeAClosing) {
    std::int64_t buyer = 0;
    for (const char* state : move_verbs::states) {
        SCOPED_TRACE(state);
        const auto p = orders_.order_in(state, sale_, ++buyer);
        const std::string picture = orders_.picture();
        EXPECT_FALSE(moves_.pay_reserved(p.order, "third", p.at).value().moved);
        EXPECT_EQ(orders_.picture(), picture);
        const auto got = moves_.pay_reserved(p.order, method, p.at).value();
        EXPECT_EQ(got.moved, state == std::string_view("begun"));
        EXPECT_EQ(move_verbs::shown(got.order), move_verbs::shown(orders_.find(p)));
        if (got.moved) {
            EXPECT_GT(got.event, 0);
            EXPECT_EQ(move_verbs::shown(got.order), "paid");
        } else {
            EXPECT_EQ(orders_.picture(), picture);
        }
    }
    EXPECT_EQ(moves_.pay_reserved({7}, method, noon).error(), errc::not_found);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(MoveContractTest, AnOrderIsFoundWithTheMethodsOfItsPayments) {
    const auto plain = orders_.order_in("unpaid", sale_, 1);
    const auto begun = orders_.order_in("closing", sale_, 2);
    const auto twice = orders_.order_in("twice", sale_, 3);
    EXPECT_THAT(moves_.find(plain.order).value().methods, IsEmpty());
    const auto found = moves_.find(begun.order).value();
    EXPECT_THAT(found.methods, ElementsAre(method));
    EXPECT_EQ(found.paid_with, "");
    EXPECT_EQ(move_verbs::shown(found.order), "unpaid closing cancelled");
    const auto paid = moves_.find(twice.order).value();
    EXPECT_THAT(paid.methods, testing::UnorderedElementsAre(method, other_method));
    EXPECT_EQ(paid.paid_with, method);
    EXPECT_EQ(moves_.find({7}).error(), errc::not_found);
}

TEST_P(MoveContractTest, ARefundEndsWhenTheBuyerHasTheMoney) {
    const auto p = orders_.order_in("paid", sale_, 1);
    const auto asked = orders_.ask_refund(p);
    EXPECT_TRUE(asked.moved);
    EXPECT_EQ(move_verbs::shown(asked.order), "refunding");
    EXPECT_EQ(verbs_.held(sale_), 1) << "until the money is back, so is the unit not";
    EXPECT_EQ(moves_.count_questions().value(), 1);

    const auto done = orders_.finish_refund(p);
    EXPECT_TRUE(done.moved);
    EXPECT_GT(done.event, asked.event);
    EXPECT_EQ(move_verbs::shown(done.order), "refunded");
    EXPECT_EQ(verbs_.held(sale_), 0);
    EXPECT_EQ(orders_.last_line(sale_).note, "order 1001 refund_done");
    EXPECT_EQ(moves_.count_questions().value(), 0);
    EXPECT_THAT(orders_.mailbox(1),
                ElementsAre("1001 unpaid>paid", "1001 paid>refunding", "1001 refunding>refunded"));
    EXPECT_EQ(verbs_.enter({verbs_.promise(sale_, 1)}).entered, 1U);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(MoveContractTest, LateMoneyGoesBackAndTheOrderStaysClosed) {
    const auto p = orders_.order_in("closing", sale_, 1);
    EXPECT_TRUE(orders_.close(p).moved);
    EXPECT_EQ(moves_.count_questions().value(), 0);

    const auto asked = orders_.pay(p);
    EXPECT_TRUE(asked.moved);
    EXPECT_EQ(asked.money, money_fate::late);
    EXPECT_EQ(asked.event, 0) << "the buyer's order is what it was";
    const auto open = moves_.open_questions(p.at, 10).value();
    ASSERT_EQ(open.size(), 1U);
    EXPECT_EQ(open[0].what, question::refund);
    EXPECT_EQ(open[0].method, method);
    EXPECT_EQ(open[0].order.no, p.order);
    EXPECT_THAT(verbs_.check(), IsEmpty());

    const auto done = orders_.finish_refund(p);
    EXPECT_TRUE(done.moved);
    EXPECT_EQ(done.event, 0);
    EXPECT_EQ(move_verbs::shown(done.order), "closed cancelled");
    EXPECT_EQ(moves_.count_questions().value(), 0);
    EXPECT_EQ(verbs_.held(sale_), 0);
    EXPECT_THAT(orders_.mailbox(1), ElementsAre("1001 unpaid>closed cancelled"));
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(MoveContractTest, AForeignOrderIsLikeAMissingOne) {
    const auto p = orders_.order_in("paid", sale_, 1);
    const auto before = orders_.picture();
    for (const sale::order_no no : {p.order, sale::order_no{7}}) {
        EXPECT_EQ(outcome(moves_.begin_payment(no, {2}, {method, {}}, p.at)), errc::not_found);
        EXPECT_EQ(outcome(moves_.cancel(no, {2}, p.at)), errc::not_found);
        EXPECT_EQ(outcome(moves_.ask_refund(no, sale::user_id{2}, {}, p.at)), errc::not_found);
    }
    EXPECT_EQ(outcome(moves_.pay({7}, method, p.at)), errc::not_found);
    EXPECT_EQ(outcome(moves_.close({7}, method, p.at)), errc::not_found);
    EXPECT_EQ(outcome(moves_.finish_refund({7}, "7R1", p.at)), errc::not_found);
    EXPECT_EQ(outcome(moves_.ask_refund({7}, std::nullopt, {}, p.at)), errc::not_found);
    EXPECT_EQ(orders_.picture(), before);
}

TEST_P(MoveContractTest, APaymentIsBegunBeforeTheDeadline) {
    const auto p = orders_.order(sale_, 1), late = orders_.order(sale_, 2);
    const auto begin = [&](const sale::promise& of, const std::string& with, instant now) {
        return moves_.begin_payment(of.order, of.buyer, {with, move_verbs::price_of(of)}, now);
    };
    const instant end = orders_.deadline(p);
    EXPECT_TRUE(begin(p, "test", end - milliseconds(1)).value().moved);
    const auto begun = orders_.picture();
    const auto again = begin(p, "test", p.at).value();
    EXPECT_TRUE(again.moved);
    EXPECT_EQ(again.event, 0);
    for (const auto& [order, with] : {std::pair(p, "test"), {p, "other"}, {late, "test"}}) {
        const auto got = begin(order, with, orders_.deadline(order)).value();
        EXPECT_FALSE(got.moved);
        EXPECT_EQ(got.why_not, obstacle::too_late);
    }
    EXPECT_EQ(outcome(begin(p, "", p.at)), errc::invalid);
    EXPECT_EQ(outcome(begin(p, "more_than_twelve", p.at)), errc::invalid);
    EXPECT_EQ(orders_.picture(), begun);
    EXPECT_TRUE(begin(p, "exact_twelve", p.at).value().moved);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(MoveContractTest, UnitsThatTheSaleDoesNotHoldAreNotGivenBack) {
    const auto p = orders_.order(sale_, 1);
    verbs_.sql("UPDATE sales SET held = 0");
    const auto before = orders_.picture();
    EXPECT_EQ(outcome(moves_.cancel(p.order, p.buyer, p.at)), errc::corrupt);
    EXPECT_EQ(orders_.picture(), before);
}

TEST_P(MoveContractTest, AnOrderBeingClosedForNoKnownReasonIsCalledCorrupt) {
    const auto p = orders_.order_in("closing", sale_, 1);
    verbs_.sql("UPDATE orders SET closing = 'whim'");
    const auto before = orders_.picture();
    EXPECT_EQ(outcome(moves_.close(p.order, method, p.at)), errc::corrupt);
    EXPECT_EQ(orders_.picture(), before);
}

}  // namespace
}  // namespace floodgate::ledger
