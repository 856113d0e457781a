#include "ledger/attempt_book.hpp"

#include "ledger/move_fixture.hpp"

namespace floodgate::ledger {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;

class AttemptContractTest : public MoveTest {
protected:
    static payment_attempt call(sale::order_no no, std::string asked, std::string outcome) {
        return {.order = no,
                .at = noon,
                .took = milliseconds(84),
                .method = "alipay",
                .asked = std::move(asked),
                .outcome = std::move(outcome),
                .answer = "10000 WAIT_BUYER_PAY"};
    }
    std::vector<payment_attempt> kept(const sale::promise& p) {
        return book_.attempts().of_order(p.order).value();
    }
    std::vector<std::string> asked(const sale::promise& p) {
        std::vector<std::string> words;
        for (const payment_attempt& a : kept(p)) words.push_back(a.asked);
        return words;
    }
};
INSTANTIATE_TEST_SUITE_P(Over, AttemptContractTest, testing::ValuesIn(databases()), name_of);

TEST_P(AttemptContractTest, TheCallsOfAMoveAreKeptWithItOldestFirst) {
    const auto p = orders_.order_in("closing", sale_, 1), other = orders_.order(sale_, 2);
    const std::vector calls{call(p.order, "query", "answered"), call(p.order, "close", "refused")};
    ASSERT_TRUE(moves_.close(p.order, "test", noon, calls).value().moved);
    const auto rows = kept(p);
    ASSERT_THAT(rows, SizeIs(2));
    EXPECT_EQ(rows[0].asked, "query");
    EXPECT_EQ(rows[0].outcome, "answered");
    EXPECT_EQ(rows[0].answer, "10000 WAIT_BUYER_PAY");
    EXPECT_EQ(rows[0].at, noon);
    EXPECT_EQ(rows[0].took, milliseconds(84));
    EXPECT_EQ(rows[0].method, "alipay");
    EXPECT_EQ(rows[0].refund_no, "");
    EXPECT_EQ(rows[1].outcome, "refused");
    EXPECT_THAT(kept(other), IsEmpty());
}

TEST_P(AttemptContractTest, TheyAreKeptAlsoIfTheOrderDoesNotMove) {
    const auto p = orders_.order(sale_, 1);
    const std::vector calls{call(p.order, "query", "answered")};
    ASSERT_FALSE(moves_.close(p.order, "test", noon, calls).value().moved);
    EXPECT_THAT(asked(p), ElementsAre("query"));
    ASSERT_TRUE(moves_.note(p.order, calls));
    EXPECT_THAT(asked(p), ElementsAre("query", "query"));
    ASSERT_TRUE(moves_.note(p.order, {}));
    EXPECT_THAT(kept(p), SizeIs(2));
}

TEST_P(AttemptContractTest, ATryWithoutAClearAnswerIsKeptWithThePause) {
    const auto p = orders_.order_in("closing", sale_, 1);
    const auto q = moves_.open_questions(noon + std::chrono::hours(1), 10).value().at(0);
    const std::vector calls{call(p.order, "query", "no_answer")};
    ASSERT_TRUE(moves_.ask_again(q, noon + std::chrono::hours(2), "no answer", calls));
    EXPECT_THAT(asked(p), ElementsAre("query"));
    EXPECT_EQ(moves_.all_questions({}, 10).value().at(0).tries, 1U);
}

TEST_P(AttemptContractTest, AStrangersAnswerIsCutAndPlain) {
    const auto p = orders_.order(sale_, 1);
    payment_attempt odd = call(p.order, "query", "garbled");
    odd.answer = std::string("\xff\x00\n'", 4) + std::string(500, 'x');
    odd.refund_no = std::string(100, '1');
    ASSERT_TRUE(moves_.note(p.order, std::vector{odd}));
    const auto row = kept(p).at(0);
    EXPECT_EQ(row.answer.size(), attempt_book::answer_bytes_max);
    EXPECT_EQ(row.answer.substr(0, 5), std::string(3, '?') + "'x");
    EXPECT_EQ(row.refund_no, std::string(40, '1'));
}

TEST_P(AttemptContractTest, OfAnOrderThatIsAskedForEverOnlyTheNewestAreKept) {
    const auto p = orders_.order_in("closing", sale_, 1), other = orders_.order(sale_, 2);
    ASSERT_TRUE(moves_.note(other.order, std::vector{call(other.order, "begin", "answered")}));
    auto q = moves_.open_questions(noon + std::chrono::hours(1), 10).value().at(0);
    const std::vector old(3, call(p.order, "query", "no_answer"));
    constexpr std::size_t most = attempt_book::kept_of_order + 3 * attempt_book::trim_every;
    for (q.tries = 0; q.tries < 100; ++q.tries) {
        ASSERT_TRUE(moves_.ask_again(q, noon, "", old));
        ASSERT_LE(kept(p).size(), most);
    }
    const std::vector newest(attempt_book::kept_of_order, call(p.order, "begin", "answered"));
    ASSERT_TRUE(moves_.note(p.order, newest));
    EXPECT_THAT(kept(p), SizeIs(attempt_book::kept_of_order));
    EXPECT_THAT(kept(p), Each(Field(&payment_attempt::asked, "begin")));
    EXPECT_THAT(kept(other), SizeIs(1));
}

}  // namespace
}  // namespace floodgate::ledger
