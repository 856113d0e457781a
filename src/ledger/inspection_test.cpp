// order_book::check names each fault.

#include "ledger/ledger_fixture.hpp"

namespace floodgate::ledger {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class InspectionContractTest : public LedgerContractTest {
protected:
    InspectionContractTest() {
        sale_ = verbs_.add_sale({.stock = 10});
        wide_ = verbs_.add_sale({.stock = 10, .limit = 3});
        for (int buyer = 1; buyer <= 3; ++buyer) batch_.push_back(verbs_.promise(sale_, buyer));
        batch_.push_back(verbs_.promise(wide_, 1, 2));
        verbs_.enter(batch_);
    }
    void break_by(const std::string& sql) { verbs_.sql(sql); }

    sale::sale_id sale_, wide_;
    std::vector<sale::promise> batch_;
};
INSTANTIATE_TEST_SUITE_P(Over, InspectionContractTest, testing::ValuesIn(databases()), name_of);

TEST_P(InspectionContractTest, NothingIsWrongWithAnUntouchedBook) {
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(InspectionContractTest, AHeldFigureThatDiffersFromTheOrders) {
    break_by("UPDATE sales SET held = 4 WHERE id = 1");
    EXPECT_THAT(
        verbs_.check(),
        ElementsAre("sale 1: held says 4, its orders hold 3",
                    "sale 1: the log ends at stock 10 held 3, the sale is at stock 10 held 4"));
}

TEST_P(InspectionContractTest, MoreUnitsHeldThanThereAre) {
    break_by("UPDATE orders SET quantity = 9 WHERE buyer_id = 1 AND sale_id = 1");
    EXPECT_THAT(verbs_.check(), Contains("sale 1: oversold by 1: its orders hold 11 of 10"));
}

TEST_P(InspectionContractTest, AnOrderThatSaysItHoldsAndIsMarkedThatItDoesNot) {
    break_by("UPDATE orders SET mark = NULL WHERE buyer_id = 2");
    EXPECT_THAT(verbs_.check(), ElementsAre("order 1002: is unpaid, but its mark says not held"));
}

TEST_P(InspectionContractTest, AClosedOrderThatStillHoldsTheBuyersPlace) {
    break_by("UPDATE orders SET state = 'closed' WHERE buyer_id = 2");
    EXPECT_THAT(verbs_.check(), Contains("order 1002: is closed, but its mark says held"));
    EXPECT_THAT(verbs_.check(), Contains("sale 1: held says 3, its orders hold 2"));
}

TEST_P(InspectionContractTest, AMarkThatSlipsPastTheUniqueKey) {
    break_by("UPDATE orders SET mark = order_no WHERE buyer_id = 2");
    EXPECT_THAT(verbs_.check(), ElementsAre("order 1002: has the mark 1002"));
}

TEST_P(InspectionContractTest, ABuyerBeyondTheLimit) {
    break_by("UPDATE orders SET buyer_id = 1, mark = order_no WHERE buyer_id = 2");
    EXPECT_THAT(verbs_.check(), Contains("sale 1: buyer 1 has 2 units, the limit is 1"));
    break_by("UPDATE orders SET quantity = 4 WHERE sale_id = 2");
    EXPECT_THAT(verbs_.check(), Contains("sale 2: buyer 1 has 4 units, the limit is 3"));
}

TEST_P(InspectionContractTest, AnOrderWithoutASaleAndOneInAStrangeState) {
    break_by("UPDATE orders SET sale_id = 77 WHERE buyer_id = 3");
    break_by("UPDATE orders SET state = 'queued' WHERE buyer_id = 2");
    EXPECT_THAT(verbs_.check(), Contains("order 1003: there is no sale 77"));
    EXPECT_THAT(verbs_.check(), Contains("order 1002: the state queued has no place in the book"));
}

TEST_P(InspectionContractTest, AGapInTheStockLog) {
    break_by("UPDATE stock_log SET held_before = 1 WHERE sale_id = 1 AND kind = 'entered'");
    EXPECT_THAT(verbs_.check(), ElementsAre(HasSubstr("starts from stock 10 held 1, not from stock "
                                                      "10 held 0")));
    break_by("DELETE FROM stock_log WHERE sale_id = 1 AND kind = 'created'");
    EXPECT_THAT(verbs_.check(), ElementsAre(HasSubstr("not from stock 0 held 0")));
}

TEST_P(InspectionContractTest, AFloodOfTroubleIsCutShort) {
    std::vector<sale::promise> many;
    const auto sale = verbs_.add_sale({.stock = 1000});
    for (int buyer = 1; buyer <= 300; ++buyer) many.push_back(verbs_.promise(sale, buyer));
    verbs_.enter(many);
    break_by("UPDATE orders SET mark = NULL");
    const auto found = verbs_.check();
    EXPECT_EQ(found.size(), 101U);
    EXPECT_EQ(found.back(), "order: and more of this kind");
}

}  // namespace
}  // namespace floodgate::ledger
