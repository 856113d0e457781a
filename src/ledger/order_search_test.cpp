// Finding orders, what their rows remember, and the acts of admins on them.

#include <gmock/gmock.h>

#include "ledger/ledger_fixture.hpp"

namespace floodgate::ledger {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class OrderSearchContractTest : public LedgerContractTest {
protected:
    std::vector<std::int64_t> buyers(const order_query& q, std::size_t limit = 10) {
        std::vector<std::int64_t> out;
        for (const sale::order& o : book_.search().find(q, limit).value())
            out.push_back(o.buyer.value);
        return out;
    }
    audit_note line(const std::string& action, sale::order_no no) {
        return audit_line{.at = noon,
                          .who = {1},
                          .action = action,
                          .subject = "order " + std::to_string(no.value),
                          .details = "{}"};
    }

    sale::sale_id sale_ = verbs_.add_sale(), other_ = verbs_.add_sale();
};
INSTANTIATE_TEST_SUITE_P(Over, OrderSearchContractTest, testing::ValuesIn(databases()), name_of);

TEST_P(OrderSearchContractTest, EveryFilterNarrowsTheListNewestFirst) {
    const auto a = verbs_.promise(sale_, 1), b = verbs_.promise(sale_, 2),
               c = verbs_.promise(other_, 3);
    verbs_.enter({a, b, c});
    EXPECT_TRUE(book_.moves().pay(b.order, "test", noon));
    EXPECT_THAT(buyers({}), ElementsAre(3, 2, 1));
    EXPECT_THAT(buyers({}, 2), ElementsAre(3, 2));
    EXPECT_THAT(buyers({.before = b.order}), ElementsAre(1));
    EXPECT_THAT(buyers({.after = b.order}), ElementsAre(3));
    EXPECT_THAT(buyers({.sale = sale_}), ElementsAre(2, 1));
    const auto of = book_.catalogue().find_sale(other_).value();
    EXPECT_THAT(buyers({.product = of.product}), ElementsAre(3));
    EXPECT_THAT(buyers({.round = of.round}), testing::Contains(3));
    EXPECT_THAT(buyers({.buyer = sale::user_id{1}}), ElementsAre(1));
    EXPECT_THAT(buyers({.state = sale::order_state::paid}), ElementsAre(2));
    EXPECT_THAT(buyers({.method = "test"}), ElementsAre(2));
    EXPECT_THAT(buyers({.to = a.at}), IsEmpty());
    EXPECT_THAT(buyers({.sale = sale_, .buyer = sale::user_id{3}}), IsEmpty());
}

TEST_P(OrderSearchContractTest, AnOrderRemembersHowAndWhenItWasPaidClosedAndRefunded) {
    const auto a = verbs_.promise(sale_, 1), b = verbs_.promise(sale_, 2);
    verbs_.enter({a, b});
    const auto find = [&](const sale::promise& p) { return book_.orders().find(p.order).value(); };
    EXPECT_EQ(find(a).paid_at, instant{});
    const instant one = noon + milliseconds(1), two = noon + milliseconds(2);
    const auto paid = book_.moves().pay(a.order, "wechat", noon).value();
    EXPECT_EQ(paid.order.method, "wechat");
    EXPECT_EQ(find(a).method, "wechat");
    EXPECT_EQ(find(a).paid_at, noon);
    EXPECT_TRUE(book_.moves().ask_refund(a.order, {}, {}, one));
    EXPECT_EQ(find(a).refunded_at, instant{});
    const auto number = book_.refunds().of(a.order).value().at(0).number;
    EXPECT_EQ(book_.moves().finish_refund(a.order, number, two).value().order.refunded_at, two);
    EXPECT_EQ(find(a).refunded_at, two);
    EXPECT_EQ(book_.moves().cancel(b.order, b.buyer, one).value().order.closed_at, one);
    EXPECT_EQ(find(b).closed_at, one);
    EXPECT_EQ(find(b).method, "");
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(OrderSearchContractTest, AnAdminCancelsMarksAsPaidAndSettlesWithALineEach) {
    const auto a = verbs_.promise(sale_, 1), b = verbs_.promise(sale_, 2);
    verbs_.enter({a, b});
    EXPECT_TRUE(book_.moves().cancel(a.order, line("order.cancelled", a.order), noon)->moved);
    EXPECT_FALSE(book_.moves().pay_by_hand(a.order, line("order.paid", a.order), noon)->moved);
    const auto paid = book_.moves().pay_by_hand(b.order, line("order.paid", b.order), noon).value();
    EXPECT_EQ(paid.order.method, manual_method);
    EXPECT_FALSE(book_.moves().pay_by_hand(b.order, line("order.paid", b.order), noon)->moved);
    EXPECT_TRUE(book_.moves().ask_refund(b.order, {}, {}, noon));
    const auto number = book_.refunds().of(b.order).value().at(0).number;
    EXPECT_TRUE(
        book_.moves().settle_refund(b.order, number, line("refund.settled", b.order), noon)->moved);
    EXPECT_EQ(verbs_.state(b), "refunded");
    const auto story = book_.search().story(b.order).value();
    EXPECT_EQ(story.acts.size(), 2U) << "an act that did nothing has no line";
    EXPECT_EQ(story.events.size(), 3U);
    EXPECT_EQ(story.trades.at(0).method, manual_method);
    EXPECT_TRUE(story.refunds.at(0).is_done());
    EXPECT_EQ(outcome(book_.search().story({77})), errc::not_found);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(OrderSearchContractTest, MoneyMarkedByHandClosesTheOtherTrades) {
    const auto a = verbs_.promise(sale_, 1);
    verbs_.enter({a});
    EXPECT_TRUE(book_.moves().begin_payment(a.order, a.buyer, {"wechat", {{100}}}, a.at));
    EXPECT_TRUE(book_.moves().pay_by_hand(a.order, {}, noon)->moved);
    EXPECT_EQ(book_.moves().all_questions({}, 5).value().at(0).method, "wechat");
}

}  // namespace
}  // namespace floodgate::ledger
