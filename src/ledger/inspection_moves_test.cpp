// order_book::check names each fault in payments and events.

#include "ledger/move_fixture.hpp"

namespace floodgate::ledger {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

class InspectionOfMovesContractTest : public MoveTest {
protected:
    InspectionOfMovesContractTest() {
        std::int64_t buyer = 0;
        for (const char* state : {"unpaid", "begun", "closing", "paid", "refunding", "refunded",
                                  "closed", "failed", "late"})
            orders_.order_in(state, sale_, ++buyer);  // 1001 to 1009
    }
    void break_by(const std::string& sql) { verbs_.sql(sql); }
};
INSTANTIATE_TEST_SUITE_P(Over, InspectionOfMovesContractTest, testing::ValuesIn(databases()),
                         name_of);

TEST_P(InspectionOfMovesContractTest, NothingIsWrongWithOrdersInAnyState) {
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(InspectionOfMovesContractTest, APaymentOfNoOrder) {
    break_by("UPDATE payments SET order_no = 77 WHERE order_no = 1002");
    EXPECT_THAT(verbs_.check(), ElementsAre("payment of order 77: there is no such order"));
}

TEST_P(InspectionOfMovesContractTest, AQuestionThatDoesNotFitTheOrder) {
    break_by("UPDATE payments SET question = 'close', cause = 'cancelled' WHERE order_no = 1004");
    break_by("UPDATE payments SET question = 'refund' WHERE order_no IN (1002, 1006)");
    break_by("UPDATE payments SET question = '' WHERE order_no = 1005");
    EXPECT_THAT(
        verbs_.check(),
        ElementsAre("payment of order 1002: the order is unpaid, but its refund is asked for",
                    "payment of order 1004: it is to be closed, but the order is paid",
                    "payment of order 1005: the order is refunding, but nobody asks for its refund",
                    "payment of order 1006: the order is refunded, but its refund is asked for"));
}

TEST_P(InspectionOfMovesContractTest, AQuestionNobodyUnderstandsOrThatHasNoCause) {
    break_by("UPDATE payments SET question = 'why' WHERE order_no = 1002");
    break_by("UPDATE payments SET cause = '' WHERE order_no = 1003");
    EXPECT_THAT(verbs_.check(),
                ElementsAre("payment of order 1002: nobody can answer the question why",
                            "payment of order 1003: it is to be closed, and nothing says why"));
}

TEST_P(InspectionOfMovesContractTest, AnOrderThatItsLastEventLeftElsewhere) {
    break_by("UPDATE orders SET state = 'unpaid' WHERE order_no = 1004");
    EXPECT_THAT(verbs_.check(),
                ElementsAre("order 1004: is unpaid, but its last event 1 left it paid"));
    break_by("DELETE FROM order_events WHERE order_no = 1006 AND to_state = 'refunded'");
    EXPECT_THAT(verbs_.check(),
                Contains("order 1006: is refunded, but its last event 5 left it refunding"));
}

TEST_P(InspectionOfMovesContractTest, AnEventOfNoOrder) {
    break_by("UPDATE order_events SET order_no = 77 WHERE order_no = 1007");
    EXPECT_THAT(verbs_.check(), ElementsAre("order 1007: is closed, but no event says so",
                                            "event 7: there is no order 77"));
}

// M8 of the security review: the figures add up, but there was no payment.
TEST_P(InspectionOfMovesContractTest, AnOrderMadePaidByHand) {
    break_by("UPDATE orders SET state = 'paid' WHERE order_no = 1001");
    const auto expected = ElementsAre("order 1001: is paid, but no event says so",
                                      "order 1001: is paid, but there is no payment");
    EXPECT_THAT(verbs_.check(), expected);
    EXPECT_THAT(book_.tallies().explain(sale_).value(), expected);
}

TEST_P(InspectionOfMovesContractTest, AnOrderMadePaidByHandWhileItsBuyerIsPaying) {
    break_by("UPDATE orders SET state = 'paid' WHERE order_no = 1002");
    EXPECT_THAT(verbs_.check(), ElementsAre("order 1002: is paid, but no event says so"));
}

TEST_P(InspectionOfMovesContractTest, ARefundOfAnOrderThatWasNeverPaid) {
    break_by("DELETE FROM order_events WHERE order_no = 1006 AND to_state = 'paid'");
    EXPECT_THAT(verbs_.check(),
                ElementsAre("order 1006: is refunded, but no event says that it was paid"));
}

TEST_P(InspectionOfMovesContractTest, APaidOrderWhosePaymentIsGone) {
    break_by("DELETE FROM payments WHERE order_no IN (1004, 1006)");
    EXPECT_THAT(verbs_.check(), ElementsAre("order 1004: is paid, but there is no payment",
                                            "order 1006: is refunded, but there is no payment"));
}

TEST_P(InspectionOfMovesContractTest, APaymentThatNoChannelHadToDoWithIsOneToo) {
    const auto p = orders_.order(sale_, 99);
    ASSERT_TRUE(moves_.pay(p.order, p.at).value().moved);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

}  // namespace
}  // namespace floodgate::ledger
