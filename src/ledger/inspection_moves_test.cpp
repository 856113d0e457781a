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
                                  "closed", "failed", "late", "part", "twice"})
            orders_.order_in(state, sale_, ++buyer);  // 1001 to 1011
    }
    void break_by(const std::string& sql) { verbs_.sql(sql); }
};
INSTANTIATE_TEST_SUITE_P(Over, InspectionOfMovesContractTest, testing::ValuesIn(databases()),
                         name_of);

TEST_P(InspectionOfMovesContractTest, NothingIsWrongWithOrdersInAnyState) {
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(InspectionOfMovesContractTest, ATradeOrARefundOfNoOrder) {
    break_by("UPDATE trades SET order_no = 77 WHERE order_no = 1002");
    break_by(
        "INSERT INTO refunds SELECT '78R1', 78, method, 1, 0, cause, '', 0, 'asked', 0, 0, 0, "
        "0, '' FROM refunds WHERE order_no = 1005");
    EXPECT_THAT(verbs_.check(), ElementsAre("trade of order 77: there is no such order",
                                            "refund 78R1: there is no such order"));
}

// The inspection reads 1000 orders at a time: faults at the edges of these pages are found, once
// each, and so is what belongs to no order.
TEST_P(InspectionOfMovesContractTest, FaultsAreFoundOnEveryPage) {
    const auto sale = verbs_.add_sale({.stock = 5000});
    std::vector<sale::promise> many;
    for (int buyer = 1; buyer <= 2100; ++buyer) many.push_back(verbs_.promise(sale, 100 + buyer));
    verbs_.enter(many);  // 1012 to 3111
    break_by(
        "INSERT INTO trades SELECT order_no, 'test', 'open', 9900, 0, 0, 0, 0, 0, 0, 0, '' "
        "FROM orders WHERE order_no > 1011");
    // 1001, 1007 and 1008 have no money, so the pages end with 2003 and 3003. An order at the edge
    // is seen together with its trades.
    break_by("UPDATE orders SET closing = 'cancelled' WHERE order_no = 2003");
    break_by("UPDATE trades SET asked = 1 WHERE order_no = 2003");
    EXPECT_THAT(verbs_.check(), IsEmpty());
    std::vector<std::string> expected;
    for (const int no : {2002, 2004, 3003, 3004, 3111}) {
        break_by(fmt::format("UPDATE trades SET state = 'paid' WHERE order_no = {}", no));
        expected.push_back(
            fmt::format("payment of order {}: a trade is paid, but it is unpaid", no));
    }
    for (const int no : {77, 4000}) {
        break_by(
            fmt::format("INSERT INTO trades SELECT {}, 'test', 'open', 9900, 0, 0, 0, 0, 0, 0, "
                        "0, '' FROM sales WHERE id = 1",
                        no));
        break_by(
            fmt::format("INSERT INTO refunds SELECT '{0}R1', {0}, 'test', 1, 0, 'buyer', '', 0, "
                        "'asked', 0, 0, 0, 0, '' FROM sales WHERE id = 1",
                        no));
        expected.push_back(fmt::format("trade of order {}: there is no such order", no));
        expected.push_back(fmt::format("refund {}R1: there is no such order", no));
    }
    EXPECT_THAT(verbs_.check(), testing::UnorderedElementsAreArray(expected));
}

TEST_P(InspectionOfMovesContractTest, AWordThatMeansNothing) {
    break_by("UPDATE trades SET state = 'odd' WHERE order_no = 1002");
    break_by("UPDATE orders SET closing = 'whim' WHERE order_no = 1003");
    break_by("UPDATE refunds SET state = 'odd' WHERE order_no = 1009");
    break_by("UPDATE refunds SET cause = 'odd' WHERE order_no = 1011");
    EXPECT_THAT(
        verbs_.check(),
        ElementsAre("trade of order 1002 with test: odd is no state",
                    "refund 1009E-test: odd is "
                    "no state",
                    "refund 1011E-other: odd is no cause",
                    "payment of order 1003: it is being closed, and nobody knows why: whim",
                    "payment of order 1009: 1 trades brought money too much, but 0 of it go back",
                    "payment of order 1011: 1 trades brought money too much, but 0 of it go back"));
}

TEST_P(InspectionOfMovesContractTest, ATradeThatDoesNotFitTheOrder) {
    break_by("UPDATE trades SET state = 'paid' WHERE order_no IN (1002, 1011)");
    break_by("UPDATE trades SET state = 'open' WHERE order_no = 1009");
    EXPECT_THAT(verbs_.check(),
                ElementsAre("payment of order 1002: a trade is paid, but it is unpaid",
                            "payment of order 1009: it is closed, but a trade is open",
                            "payment of order 1011: 2 trades say that it was paid with them"));
}

TEST_P(InspectionOfMovesContractTest, AClosingThatDoesNotFitTheOrder) {
    break_by("UPDATE trades SET asked = 1 WHERE order_no IN (1002, 1006)");
    break_by("UPDATE trades SET asked = 0 WHERE order_no = 1003");
    break_by("UPDATE orders SET closing = 'cancelled' WHERE order_no = 1004");
    break_by("UPDATE trades SET state = 'open' WHERE order_no = 1011 AND method = 'other'");
    EXPECT_THAT(
        verbs_.check(),
        ElementsAre(
            "trade of order 1006 with test: it is paid, but is to be closed",
            "payment of order 1002: a trade is to be closed, but the order is not being closed",
            "payment of order 1003: it is being closed, but nobody asks a channel",
            "payment of order 1004: it is being closed, but it is paid",
            "payment of order 1011: it is paid, but nobody closes another trade"));
}

TEST_P(InspectionOfMovesContractTest, ARefundThatDoesNotFitTheOrder) {
    break_by("DELETE FROM refunds WHERE order_no IN (1005, 1009)");
    break_by("UPDATE refunds SET state = 'asked' WHERE order_no = 1010");
    EXPECT_THAT(
        verbs_.check(),
        ElementsAre("payment of order 1005: it is refunding, but nobody asks for its refund",
                    "payment of order 1009: 1 trades brought money too much, but 0 of it go back",
                    "payment of order 1010: it is paid, but its refund is asked for"));
}

TEST_P(InspectionOfMovesContractTest, TwoRefundsAtOnce) {
    break_by(
        "INSERT INTO refunds SELECT '1005R2', order_no, method, 1, 0, cause, '', 0, 'asked', "
        "0, 0, 0, 0, '' FROM refunds WHERE order_no = 1005");
    EXPECT_THAT(verbs_.check(),
                ElementsAre("payment of order 1005: two refunds of it are asked for"));
}

TEST_P(InspectionOfMovesContractTest, MoneyGivenBackThatDoesNotAddUp) {
    break_by("UPDATE refunds SET amount_fen = 90 WHERE order_no IN (1006, 1010)");
    break_by("UPDATE orders SET refunded_fen = 90 WHERE order_no = 1006");
    EXPECT_THAT(
        verbs_.check(),
        ElementsAre("payment of order 1006: it is refunded, but 90 of 9900 fen were given back",
                    "payment of order 1010: 100 fen were given back, but its refunds say 90"));
    break_by("UPDATE refunds SET amount_fen = 9901 WHERE order_no = 1010");
    break_by("UPDATE orders SET refunded_fen = 9901 WHERE order_no = 1010");
    EXPECT_THAT(verbs_.check(),
                Contains("payment of order 1010: more was given back than was paid"));
}

TEST_P(InspectionOfMovesContractTest, AnOrderThatItsLastEventLeftElsewhere) {
    break_by("UPDATE orders SET state = 'unpaid' WHERE order_no = 1004");
    EXPECT_THAT(verbs_.check(),
                ElementsAre("payment of order 1004: a trade is paid, but it is unpaid",
                            "order 1004: is unpaid, but its last event 1 left it paid"));
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
    EXPECT_THAT(verbs_.check(),
                ElementsAre("order 1002: is paid, but no event says so",
                            "order 1002: is paid, but there is no payment",
                            "payment of order 1002: it is paid, but nobody closes another trade"));
}

TEST_P(InspectionOfMovesContractTest, ARefundOfAnOrderThatWasNeverPaid) {
    break_by("DELETE FROM order_events WHERE order_no = 1006 AND to_state = 'paid'");
    EXPECT_THAT(verbs_.check(),
                ElementsAre("order 1006: is refunded, but no event says that it was paid"));
}

TEST_P(InspectionOfMovesContractTest, APaidOrderWhosePaymentIsGone) {
    break_by("DELETE FROM trades WHERE order_no IN (1004, 1006)");
    EXPECT_THAT(verbs_.check(),
                ElementsAre("order 1004: is paid, but there is no payment",
                            "order 1006: is refunded, but there is no payment",
                            "payment of order 1006: it is refunded, but 9900 of 0 fen were given "
                            "back"));
}

TEST_P(InspectionOfMovesContractTest, APaymentThatNobodyBeganIsOneToo) {
    const auto p = orders_.order(sale_, 99);
    ASSERT_TRUE(orders_.pay(p).moved);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

}  // namespace
}  // namespace floodgate::ledger
