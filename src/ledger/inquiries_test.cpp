// The open inquiries, the buyer's mailbox, and the buyers who gave up orders.

#include "ledger/move_fixture.hpp"

namespace floodgate::ledger {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class QuestionContractTest : public MoveTest {
protected:
    static std::vector<std::uint64_t> numbers(const result<std::vector<open_question>>& asked) {
        std::vector<std::uint64_t> all;
        for (const auto& q : asked.value()) all.push_back(q.order.no.value);
        return all;
    }
    // The inquiry about this order's trade or refund.
    open_question asked_about(const sale::promise& p, const char* with = method) {
        for (const open_question& q : moves_.all_questions({}, 100).value())
            if (q.order.no == p.order && q.method == with) return q;
        ADD_FAILURE() << "nobody asks about order " << p.order.value;
        return {};
    }
    const instant later_ = noon + std::chrono::minutes(5);
};
INSTANTIATE_TEST_SUITE_P(Over, QuestionContractTest, testing::ValuesIn(databases()), name_of);

TEST_P(QuestionContractTest, NothingIsAskedAtFirst) {
    orders_.order_in("begun", sale_, 1);
    orders_.order_in("paid", sale_, 2);
    orders_.order_in("refunded", sale_, 3);
    EXPECT_THAT(numbers(moves_.open_questions(later_, 9)), IsEmpty());
    EXPECT_THAT(numbers(moves_.all_questions({}, 9)), IsEmpty());
    EXPECT_EQ(moves_.count_questions().value(), 0);
}

TEST_P(QuestionContractTest, AQuestionSaysWhatIsToBeAskedOfWhom) {
    const auto a = orders_.order_in("closing", sale_, 1),
               b = orders_.order_in("refunding", sale_, 2);
    const auto asked = moves_.open_questions(later_, 9).value();
    ASSERT_EQ(asked.size(), 2U);
    EXPECT_EQ(asked[0].order.no, a.order);
    EXPECT_EQ(asked[0].what, question::close);
    EXPECT_EQ(asked[0].order.closing, "cancelled");
    EXPECT_EQ(asked[0].method, "test");
    EXPECT_EQ(asked[0].asked_since, a.at);
    EXPECT_EQ(asked[0].tries, 0U);
    EXPECT_EQ(asked[1].order.no, b.order);
    EXPECT_EQ(asked[1].what, question::refund);
    EXPECT_EQ(asked[1].order.state, sale::order_state::refunding);
    EXPECT_EQ(moves_.count_questions().value(), 2);
}

TEST_P(QuestionContractTest, AnUnsureChannelIsAskedAgainWhenItIsTime) {
    const auto a = orders_.order_in("closing", sale_, 1), b = orders_.order_in("closing", sale_, 2);
    EXPECT_EQ(outcome(moves_.ask_again(asked_about(a), later_, "no answer")), fine);
    EXPECT_THAT(numbers(moves_.open_questions(later_ - milliseconds(1), 9)),
                ElementsAre(b.order.value));
    EXPECT_THAT(numbers(moves_.open_questions(later_, 9)),
                ElementsAre(b.order.value, a.order.value))
        << "longest due first";
    EXPECT_THAT(numbers(moves_.open_questions(later_, 1)), ElementsAre(b.order.value));
    const auto asked = moves_.open_questions(later_, 9).value();
    EXPECT_EQ(asked.at(1).tries, 1U);
    EXPECT_EQ(asked[1].note, "no answer");
    EXPECT_EQ(asked[1].asked_since, a.at) << "since the first time";
    EXPECT_THAT(numbers(moves_.all_questions({}, 9)), ElementsAre(a.order.value, b.order.value));
    EXPECT_THAT(numbers(moves_.all_questions(a.order, 9)), ElementsAre(b.order.value));
    EXPECT_THAT(numbers(moves_.all_questions({}, 1)), ElementsAre(a.order.value));
}

TEST_P(QuestionContractTest, ARefundThatItsChannelSpeaksOfIsDueAtOnce) {
    const auto p = orders_.order_in("refunding", sale_, 1),
               other = orders_.order_in("refunding", sale_, 2);
    const auto number = [&](const sale::promise& of) { return asked_about(of).refund.number; };
    const instant now = noon + std::chrono::minutes(1);
    for (const auto& of : {p, other}) moves_.ask_again(asked_about(of), later_, "not yet").value();
    EXPECT_THAT(numbers(moves_.open_questions(now, 9)), IsEmpty());

    EXPECT_EQ(outcome(moves_.ask_now(number(p), now, "")), fine);
    EXPECT_THAT(numbers(moves_.open_questions(now - milliseconds(1), 9)), IsEmpty());
    EXPECT_THAT(numbers(moves_.open_questions(now, 9)), ElementsAre(p.order.value));
    EXPECT_EQ(asked_about(p).note, "not yet");
    EXPECT_EQ(asked_about(p).tries, 1U) << "the pauses go on where they were";
    EXPECT_EQ(outcome(moves_.ask_now(number(p), now, "ABNORMAL")), fine);
    EXPECT_EQ(asked_about(p).note, "ABNORMAL");
    EXPECT_EQ(asked_about(other).note, "not yet");

    const std::string done = number(p);
    orders_.finish_refund(p);
    EXPECT_EQ(outcome(moves_.ask_now(done, now, "late")), errc::not_found);
    EXPECT_EQ(outcome(moves_.ask_now("nobody's", now, "")), errc::not_found);
}

// The channel spoke while it was being asked: its older answer must not postpone the question.
TEST_P(QuestionContractTest, ARefundThatItsChannelSpeaksOfMeanwhileIsNotPostponed) {
    const auto p = orders_.order_in("refunding", sale_, 1);
    const instant now = noon + std::chrono::minutes(1);
    const open_question before = asked_about(p);
    moves_.ask_now(before.refund.number, now, "").value();
    EXPECT_EQ(outcome(moves_.ask_again(before, later_, "not yet")), fine);
    EXPECT_THAT(numbers(moves_.open_questions(now, 9)), ElementsAre(p.order.value));
    EXPECT_EQ(asked_about(p).note, "not yet");
    EXPECT_EQ(asked_about(p).tries, 1U);
    EXPECT_EQ(outcome(moves_.ask_again(asked_about(p), later_, "not yet")), fine);
    EXPECT_THAT(numbers(moves_.open_questions(now, 9)), IsEmpty());
}

TEST_P(QuestionContractTest, ANewQuestionStartsFromNothing) {
    const auto p = orders_.order_in("closing", sale_, 1);
    const auto first = asked_about(p);
    moves_.ask_again(first, later_, "no answer").value();
    moves_.pay(p.order, method, later_).value();
    EXPECT_EQ(outcome(moves_.ask_again(first, later_, "late")), errc::not_found);
    moves_.ask_refund(p.order, p.buyer, {}, later_ + milliseconds(1)).value();
    const auto asked = moves_.open_questions(later_ + milliseconds(1), 9).value();
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_EQ(asked[0].what, question::refund);
    EXPECT_EQ(asked[0].tries, 0U);
    EXPECT_EQ(asked[0].note, "");
    EXPECT_EQ(asked[0].asked_since, later_ + milliseconds(1));
    EXPECT_EQ(asked[0].order.closing, "");
    orders_.finish_refund(p);
    EXPECT_EQ(outcome(moves_.ask_again(asked[0], later_, "late")), errc::not_found);
}

TEST_P(QuestionContractTest, BothKindsAreAskedTogetherAndEachPostponedByItself) {
    const auto a = orders_.order_in("twice", sale_, 1), b = orders_.order_in("closing", sale_, 2);
    orders_.ask_refund(a);
    const auto shown = [](const result<std::vector<open_question>>& asked) {
        std::vector<std::string> all;
        for (const auto& q : asked.value())
            all.push_back(fmt::format("{} {} {}", q.order.no.value,
                                      q.what == question::close ? q.method : q.refund.number,
                                      q.tries));
        return all;
    };
    EXPECT_THAT(
        shown(moves_.open_questions(later_, 9)),
        testing::UnorderedElementsAre("1001 1001E-other 0", "1001 1001R2 0", "1002 test 0"));
    EXPECT_EQ(moves_.count_questions().value(), 3);
    EXPECT_EQ(moves_.oldest_question().value(), a.at);

    moves_.ask_again(asked_about(a), later_, "the bank sleeps").value();
    EXPECT_THAT(shown(moves_.open_questions(later_ - milliseconds(1), 9)),
                ElementsAre("1001 1001E-other 0", "1002 test 0"));
    moves_.ask_again(asked_about(b), later_ + milliseconds(1), "").value();
    EXPECT_THAT(shown(moves_.open_questions(later_ + milliseconds(1), 9)),
                ElementsAre("1001 1001E-other 0", "1001 1001R2 1", "1002 test 1"))
        << "longest due first";
    EXPECT_THAT(shown(moves_.open_questions(later_ + milliseconds(1), 2)),
                ElementsAre("1001 1001E-other 0", "1001 1001R2 1"));
    EXPECT_EQ(asked_about(a).note, "the bank sleeps");
    EXPECT_EQ(asked_about(a).refund.price, move_verbs::price_of(a));
    EXPECT_EQ(asked_about(a, other_method).note, "");

    moves_.finish_refund(a.order, "1001E-other", later_).value();
    moves_.finish_refund(a.order, "1001R2", later_).value();
    EXPECT_EQ(moves_.oldest_question().value(), b.at);
    orders_.close(b);
    EXPECT_EQ(moves_.oldest_question().value(), never);
    EXPECT_EQ(moves_.count_questions().value(), 0);
}

TEST_P(QuestionContractTest, APageNeverPartsAnOrder) {
    for (std::int64_t buyer = 1; buyer <= 3; ++buyer) {  // each: two trades to close, one refund
        const auto p = orders_.order(sale_, buyer);
        orders_.begin(p);
        orders_.begin(p, other_method);
        orders_.begin(p, "third");
        orders_.pay(p);
        orders_.ask_refund(p);
    }
    const auto page = [&](std::uint64_t after, std::size_t max) {
        return numbers(moves_.all_questions({after}, max));
    };
    EXPECT_THAT(page(0, 1), ElementsAre(1001, 1001, 1001));
    EXPECT_THAT(page(0, 3), ElementsAre(1001, 1001, 1001));
    EXPECT_THAT(page(0, 4), ElementsAre(1001, 1001, 1001, 1002, 1002, 1002));
    EXPECT_THAT(page(1002, 2), ElementsAre(1003, 1003, 1003));
    EXPECT_THAT(page(1003, 2), IsEmpty());
    EXPECT_EQ(page(0, 99).size(), 9U);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

// The inspection names what is left over.
TEST_P(QuestionContractTest, AQuestionThatMakesNoSenseDoesNotHoldUpTheOthers) {
    orders_.order_in("closing", sale_, 1);
    const auto b = orders_.order_in("closing", sale_, 2);
    orders_.order_in("refunding", sale_, 3);
    orders_.order_in("closing", sale_, 4);
    verbs_.sql("UPDATE trades SET order_no = 77 WHERE order_no = 1001");
    verbs_.sql("UPDATE refunds SET cause = 'odd' WHERE order_no = 1003");
    verbs_.sql("UPDATE orders SET state = 'odd' WHERE order_no = 1004");
    EXPECT_THAT(numbers(moves_.open_questions(later_, 9)), ElementsAre(b.order.value));
    EXPECT_THAT(numbers(moves_.all_questions({}, 9)), ElementsAre(b.order.value));
}

TEST_P(QuestionContractTest, ALongNoteIsCutBetweenTwoCharacters) {
    const auto p = orders_.order_in("closing", sale_, 1);
    const open_question q = asked_about(p);
    const std::string start(199, 'x');
    moves_.ask_again(q, noon, start + "银行").value();
    EXPECT_EQ(moves_.all_questions({}, 1).value().at(0).note, start);
    moves_.ask_again(q, noon, start + "yz").value();
    EXPECT_EQ(moves_.all_questions({}, 1).value().at(0).note, start + "y");
}

TEST_P(QuestionContractTest, TheMailboxHoldsTheBuyersOwnMovesInPages) {
    EXPECT_EQ(moves_.latest_event_of({1}).value(), 0);
    orders_.order_in("refunded", sale_, 1);
    orders_.order_in("closed", sale_, 2);
    orders_.order_in("closed", verbs_.add_sale(), 1);
    EXPECT_THAT(orders_.mailbox(1, 0, 2), ElementsAre("1001 unpaid>paid", "1001 paid>refunding"));
    const auto seen = moves_.events_of({1}, 0, 2).value().at(1).id;
    EXPECT_THAT(orders_.mailbox(1, seen),
                ElementsAre("1001 refunding>refunded", "1003 unpaid>closed cancelled"));
    EXPECT_THAT(orders_.mailbox(2), ElementsAre("1002 unpaid>closed cancelled"));
    EXPECT_THAT(orders_.mailbox(1, moves_.latest_event_of({1}).value()), IsEmpty());
    EXPECT_LT(moves_.latest_event_of({2}).value(), moves_.latest_event_of({1}).value());
    EXPECT_EQ(moves_.latest_event_of({3}).value(), 0);
    EXPECT_THAT(orders_.mailbox(3), IsEmpty());
}

TEST_P(QuestionContractTest, ThoseWhoLetOrdersGoAreCountedBySale) {
    const auto other = verbs_.add_sale();
    for (const std::int64_t buyer : {3, 1, 3, 2}) orders_.order_in("closed", sale_, buyer);
    const auto late = orders_.order(sale_, 4);
    moves_.close_due(orders_.deadline(late), 9).value();
    const auto begun = orders_.order_in("closing", sale_, 5);
    moves_.close(begun.order, method, later_).value();
    std::int64_t innocent = 100;
    for (const char* state : {"unpaid", "begun", "paid", "refunding", "refunded", "failed"})
        orders_.order_in(state, sale_, ++innocent);
    orders_.order_in("closed", other, 7);

    std::vector<std::string> seen;
    for (const auto& b : moves_.given_up_most(sale_, 9).value())
        seen.push_back(fmt::format("{} x{}", b.buyer.value, b.times));
    EXPECT_THAT(seen, testing::UnorderedElementsAre("3 x2", "4 x1", "5 x1", "2 x1", "1 x1"));
    EXPECT_EQ(seen.at(0), "3 x2") << "the most often first";
    EXPECT_EQ(moves_.given_up_most(sale_, 2).value().size(), 2U);
    EXPECT_EQ(moves_.given_up_most(other, 9).value().at(0).buyer, sale::user_id{7});
    EXPECT_THAT(moves_.given_up_most({999}, 9).value(), IsEmpty());
}

TEST_P(QuestionContractTest, AMoveAndTheBookAgreeWhenAnOrderWasLetGo) {
    const auto p = orders_.order(sale_, 1), due = orders_.order(sale_, 2);
    const auto cancelled = moves_.cancel(p.order, p.buyer, later_).value();
    EXPECT_EQ(cancelled.at, later_);
    const instant deadline = orders_.deadline(due);
    EXPECT_EQ(moves_.close_due(deadline, 9).value().closed.at(0).at, deadline);
    const auto all = moves_.given_up_since(sale_, later_ - milliseconds(1)).value();
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].last, later_);
    EXPECT_EQ(all[1].last, deadline);
    const auto rest = moves_.given_up_since(sale_, later_).value();
    ASSERT_EQ(rest.size(), 1U) << "only what is later";
    EXPECT_EQ(rest[0].buyer, due.buyer);
}

}  // namespace
}  // namespace floodgate::ledger
