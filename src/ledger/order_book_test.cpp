// Reading orders back. How they get in is in order_entry_test.cpp.

#include "ledger/ledger_fixture.hpp"

namespace floodgate::ledger {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class OrderContractTest : public LedgerContractTest {
protected:
    order_book& orders_ = book_.orders();

    std::vector<sale::order_no> held() {
        std::vector<sale::order_no> numbers;
        orders_.for_each_held([&](const held_order& o) { numbers.push_back(o.no); }).value();
        return numbers;
    }
};
INSTANTIATE_TEST_SUITE_P(Over, OrderContractTest, testing::ValuesIn(databases()), name_of);

TEST_P(OrderContractTest, AnEmptyBookHasNoOrders) {
    EXPECT_EQ(orders_.position().value(), sale::sequence{0});
    EXPECT_EQ(orders_.latest_number().value(), sale::order_no{0});
    EXPECT_EQ(outcome(orders_.find({1})), errc::not_found);
    EXPECT_THAT(orders_.of_buyer({1}, {}, 10).value(), IsEmpty());
    EXPECT_THAT(held(), IsEmpty());
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(OrderContractTest, ABuyerSeesOwnOrdersNewestFirstInPages) {
    std::vector<sale::promise> batch;
    for (int i = 0; i < 5; ++i) {
        const auto sale = verbs_.add_sale();
        batch.push_back(verbs_.promise(sale, 1));
        batch.push_back(verbs_.promise(sale, 2));
    }
    batch.push_back(verbs_.promise({999}, 1));
    verbs_.enter(batch);
    const auto page = orders_.of_buyer({1}, {}, 3).value();
    ASSERT_EQ(page.size(), 3U);
    EXPECT_EQ(page[0].no, batch[10].order) << "failed ones are shown too";
    EXPECT_EQ(page[1].no, batch[8].order);
    const auto rest = orders_.of_buyer({1}, page[2].no, 10).value();
    ASSERT_EQ(rest.size(), 3U);
    EXPECT_EQ(rest[2].no, batch[0].order);
}

TEST_P(OrderContractTest, HeldOrdersComeInOrderOfNumberWithTheirKeys) {
    const auto sale = verbs_.add_sale({.stock = 10, .limit = 3});
    auto a = verbs_.promise(sale, 1, 2), b = verbs_.promise(sale, 2), c = verbs_.promise(sale, 3);
    b.key.fill(std::byte{0x5a});
    verbs_.enter({c, a, b, verbs_.promise({999}, 1)});
    EXPECT_THAT(held(), ElementsAre(a.order, b.order, c.order));

    std::vector<held_order> all;
    orders_.for_each_held([&](const held_order& o) { all.push_back(o); }).value();
    EXPECT_EQ(all[0].sale, sale);
    EXPECT_EQ(all[0].buyer, a.buyer);
    EXPECT_EQ(all[0].quantity, 2U);
    EXPECT_EQ(all[0].key, sale::no_key);
    EXPECT_EQ(all[1].key, b.key);
    EXPECT_EQ(all[2].key, sale::no_key);

    verbs_.close(b.order);
    EXPECT_THAT(held(), ElementsAre(a.order, c.order));
}

TEST_P(OrderContractTest, KeysOfOrdersThatHoldNothingAreNotForgotten) {
    const auto sale = verbs_.add_sale();
    // The buyer of the last one is at the limit already.
    auto held = verbs_.promise(sale, 1), closed = verbs_.promise(sale, 2),
         refused = verbs_.promise(sale, 1);
    const auto keyless = verbs_.promise(sale, 4);
    for (auto* p : {&held, &closed, &refused}) p->key.fill(static_cast<std::byte>(p->order.value));
    verbs_.enter({held, closed, refused, keyless});
    verbs_.close(closed.order);
    verbs_.close(keyless.order);
    std::vector<held_order> spent;
    orders_.for_each_spent_key(sale, [&](const held_order& o) { spent.push_back(o); }).value();
    ASSERT_EQ(spent.size(), 2U);
    EXPECT_EQ(spent[0].no, closed.order);
    EXPECT_EQ(spent[0].sale, sale);
    EXPECT_EQ(spent[0].buyer, closed.buyer);
    EXPECT_EQ(spent[0].key, closed.key);
    EXPECT_EQ(spent[1].no, refused.order);
}

TEST_P(OrderContractTest, AProbeChangesNothing) {
    verbs_.enter({verbs_.promise(verbs_.add_sale(), 1)});
    EXPECT_EQ(outcome(orders_.probe()), fine);
    EXPECT_EQ(orders_.position().value(), verbs_.entered());
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(OrderContractTest, PaidAndRefundingOrdersAreStillHeld) {
    const auto sale = verbs_.add_sale();
    const auto a = verbs_.promise(sale, 1), b = verbs_.promise(sale, 2);
    verbs_.enter({a, b});
    for (const sale::promise& p : {a, b})
        ASSERT_TRUE(book_.moves().pay(p.order, "t", noon).value().moved);
    ASSERT_TRUE(book_.moves().ask_refund(b.order, b.buyer, {}, noon).value().moved);
    EXPECT_THAT(held(), ElementsAre(a.order, b.order));
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(OrderContractTest, TheLatestNumberCountsFailedOrdersToo) {
    const auto p = verbs_.promise({999}, 1);
    verbs_.enter({p});
    EXPECT_EQ(orders_.latest_number().value(), p.order);
}

TEST_P(OrderContractTest, TheLargestNumberFits) {
    auto p = verbs_.promise(verbs_.add_sale({.limit = 2}), 1);
    p.order = {INT64_MAX};
    verbs_.enter({p});
    EXPECT_EQ(orders_.find(p.order).value().no, p.order);
    EXPECT_EQ(orders_.latest_number().value(), p.order);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(OrderContractTest, AnUnreadableStateIsCalledCorrupt) {
    const auto p = verbs_.promise(verbs_.add_sale(), 1);
    verbs_.enter({p});
    verbs_.sql("UPDATE orders SET state = 'lost'");
    EXPECT_EQ(outcome(orders_.find(p.order)), errc::corrupt);
}

}  // namespace
}  // namespace floodgate::ledger
