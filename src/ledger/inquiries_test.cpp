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
    EXPECT_EQ(outcome(moves_.ask_again(a.order, later_, "no answer")), fine);
    EXPECT_THAT(numbers(moves_.open_questions(later_ - milliseconds(1), 9)),
                ElementsAre(b.order.value));
    EXPECT_THAT(numbers(moves_.open_questions(later_, 9)),
                ElementsAre(b.order.value, a.order.value))
        << "longest due first";
    EXPECT_THAT(numbers(moves_.open_questions(later_, 1)), ElementsAre(b.order.value));
    const auto asked = moves_.open_questions(later_, 9).value();
    EXPECT_EQ(asked[1].tries, 1U);
    EXPECT_EQ(asked[1].note, "no answer");
    EXPECT_EQ(asked[1].asked_since, a.at) << "since the first time";
    EXPECT_THAT(numbers(moves_.all_questions({}, 9)), ElementsAre(a.order.value, b.order.value));
    EXPECT_THAT(numbers(moves_.all_questions(a.order, 9)), ElementsAre(b.order.value));
    EXPECT_THAT(numbers(moves_.all_questions({}, 1)), ElementsAre(a.order.value));
}

TEST_P(QuestionContractTest, ANewQuestionStartsFromNothing) {
    const auto p = orders_.order_in("closing", sale_, 1);
    moves_.ask_again(p.order, later_, "no answer").value();
    moves_.pay(p.order, later_).value();
    EXPECT_EQ(outcome(moves_.ask_again(p.order, later_, "late")), errc::not_found);
    moves_.ask_refund(p.order, p.buyer, later_ + milliseconds(1)).value();
    const auto asked = moves_.open_questions(later_ + milliseconds(1), 9).value();
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_EQ(asked[0].what, question::refund);
    EXPECT_EQ(asked[0].tries, 0U);
    EXPECT_EQ(asked[0].note, "");
    EXPECT_EQ(asked[0].asked_since, later_ + milliseconds(1));
    EXPECT_EQ(asked[0].order.closing, "");
    EXPECT_EQ(outcome(moves_.ask_again({7}, later_, "")), errc::not_found);
}

TEST_P(QuestionContractTest, ALongNoteIsCutBetweenTwoCharacters) {
    const auto p = orders_.order_in("closing", sale_, 1);
    const std::string start(199, 'x');
    moves_.ask_again(p.order, noon, start + "银行").value();
    EXPECT_EQ(moves_.all_questions({}, 1).value().at(0).note, start);
    moves_.ask_again(p.order, noon, start + "yz").value();
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
    moves_.close(begun.order, later_).value();
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
