#include "ledger/earning_book.hpp"

#include "ledger/move_fixture.hpp"

namespace floodgate::ledger {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class EarningBookContractTest : public MoveTest {
protected:
    sale::promise paid(std::int64_t buyer) {
        auto p = orders_.order(generous_, buyer);
        EXPECT_TRUE(orders_.pay(p).moved);
        return p;
    }
    earning of(const sale::promise& p) { return earnings_.find(p.order).value(); }
    // "1001 owed paid": those that are due, and the states of their orders.
    std::vector<std::string> due(instant now, std::size_t max = 99) {
        std::vector<std::string> all;
        for (const due_earning& e : earnings_.due(now, max).value())
            all.push_back(fmt::format("{} {} {}", e.order.value, to_text(e.state),
                                      e.order_is ? to_text(*e.order_is) : "?"));
        return all;
    }
    std::size_t change(const earning& was, earning_state to, instant at) {
        const std::vector<earning_change> one{{was, to, at}};
        return earnings_.change(one).value();
    }

    earning_book& earnings_ = book_.earnings();
    sale::sale_id generous_ = verbs_.add_sale({.stock = 1000, .earns_points = 7});
    const instant later_ = noon + std::chrono::hours(1);
};
INSTANTIATE_TEST_SUITE_P(Over, EarningBookContractTest, testing::ValuesIn(databases()), name_of);

TEST_P(EarningBookContractTest, ThoseThatAreDueComeLongestDueFirst) {
    const auto a = paid(1), b = paid(2), c = paid(3), d = paid(4);
    change(of(a), earning_state::promised, later_);
    change(of(b), earning_state::promised, noon);
    change(of(d), earning_state::given, noon);
    orders_.ask_refund(c);
    EXPECT_THAT(due(later_ - milliseconds(1)),
                ElementsAre("1002 promised paid", "1003 owed refunding"));
    EXPECT_THAT(due(later_),
                ElementsAre("1002 promised paid", "1003 owed refunding", "1001 promised paid"));
    EXPECT_THAT(due(later_, 1), ElementsAre("1002 promised paid"));
    EXPECT_THAT(due(noon - milliseconds(1)), IsEmpty());
}

TEST_P(EarningBookContractTest, AChangeHasNoEffectOnWhatHasChangedSinceItWasRead) {
    const auto p = paid(1);
    const earning before = of(p);
    orders_.ask_refund(p);
    orders_.finish_refund(p);
    EXPECT_EQ(change(before, earning_state::promised, later_), 0U) << "it was called in";
    EXPECT_EQ(of(p).state, earning_state::owed);
    EXPECT_EQ(change(of(p), earning_state::gone, noon), 1U);
    EXPECT_EQ(change(before, earning_state::promised, later_), 0U);
    EXPECT_EQ(of(p).state, earning_state::gone);
}

TEST_P(EarningBookContractTest, ManyChangesAreMadeTogether) {
    const auto a = paid(1), b = paid(2);
    const std::vector<earning_change> both{{of(a), earning_state::promised, later_},
                                           {of(b), earning_state::gone, noon}};
    EXPECT_EQ(earnings_.change(both).value(), 2U);
    EXPECT_EQ(of(a).state, earning_state::promised);
    EXPECT_EQ(of(a).due, later_);
    EXPECT_EQ(of(b).state, earning_state::gone);
    EXPECT_EQ(earnings_.change({}).value(), 0U);
}

TEST_P(EarningBookContractTest, OpenOnesAreCounted) {
    const auto a = paid(1), b = paid(2);
    paid(3), paid(4);
    change(of(a), earning_state::promised, noon);
    change(of(b), earning_state::given, noon);
    const auto counts = earnings_.count().value();
    EXPECT_EQ(counts.owed, 2);
    EXPECT_EQ(counts.promised, 1);
    EXPECT_EQ(outcome(earnings_.find({77})), errc::not_found);
}

TEST_P(EarningBookContractTest, AnOrderThatIsGoneOrUnreadableIsSaid) {
    paid(1), paid(2);
    verbs_.sql("DELETE FROM orders WHERE order_no = 1001");
    verbs_.sql("UPDATE orders SET state = 'odd' WHERE order_no = 1002");
    EXPECT_THAT(due(later_), ElementsAre("1001 owed ?", "1002 owed ?"));
}

TEST_P(EarningBookContractTest, TheInspectionNamesThoseThatDoNotFitTheirOrders) {
    for (std::int64_t buyer = 1; buyer <= 6; ++buyer) paid(buyer);
    EXPECT_THAT(verbs_.check(), IsEmpty());
    verbs_.sql("UPDATE earnings SET order_no = 77 WHERE order_no = 1001");
    verbs_.sql("UPDATE earnings SET state = 'odd' WHERE order_no = 1002");
    verbs_.sql("UPDATE earnings SET points = 0 WHERE order_no = 1003");
    verbs_.sql("UPDATE earnings SET buyer_id = 9 WHERE order_no = 1004");
    verbs_.sql("UPDATE trades SET amount_fen = 0 WHERE order_no = 1005");
    orders_.order_in("closed", generous_, 7);
    verbs_.sql("UPDATE earnings SET order_no = 1007, buyer_id = 7 WHERE order_no = 1006");
    EXPECT_THAT(verbs_.check(),
                ElementsAre("points earned with order 77: there is no such order",
                            "points earned with order 1002: odd is no state",
                            "points earned with order 1003: they are 0",
                            "points earned with order 1004: they are of buyer 9, but the order is "
                            "of 4",
                            "points earned with order 1005: the order was not paid with money",
                            "points earned with order 1007: the order is closed"));
}

}  // namespace
}  // namespace floodgate::ledger
