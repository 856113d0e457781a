#include "ledger/settlements.hpp"

#include "ledger/move_fixture.hpp"

namespace floodgate::ledger {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class SettlementContractTest : public MoveTest {
protected:
    std::vector<std::string> between(instant from, instant until, const char* by = method) {
        std::vector<std::string> shown;
        const auto all = settlements(verbs_.db()).between({by, from, until});
        for (const settlement& s : all.value())
            shown.push_back(fmt::format("{} {} {}", s.no.value,
                                        s.kind == money_move::payment ? "paid" : "refunded",
                                        s.amount.value));
        return shown;
    }
    const instant dawn_ = noon - std::chrono::hours(1), dusk_ = noon + std::chrono::hours(1);
};
INSTANTIATE_TEST_SUITE_P(Over, SettlementContractTest, testing::ValuesIn(databases()), name_of);

TEST_P(SettlementContractTest, PaymentsAndRefundsAreListedAndNothingElse) {
    for (const char* state : {"unpaid", "closed", "failed", "begun", "closing"})
        orders_.order_in(state, sale_,
                         static_cast<std::int64_t>(std::string_view(state).size()) +
                             (state[0] == 'c' ? 100 : 0));
    EXPECT_THAT(between(dawn_, dusk_), IsEmpty());
    const auto a = orders_.order_in("paid", sale_, 51), b = orders_.order_in("refunded", sale_, 52),
               c = orders_.order_in("refunding", sale_, 53);
    const auto line = [&](const sale::promise& p, const char* word) {
        return fmt::format("{} {} {}", p.order.value, word, orders_.find(p).amount.value);
    };
    EXPECT_THAT(between(dawn_, dusk_), ElementsAre(line(a, "paid"), line(b, "paid"),
                                                   line(b, "refunded"), line(c, "paid")));
    EXPECT_THAT(between(dawn_, dusk_, "alipay"), IsEmpty());
}

TEST_P(SettlementContractTest, TheTimeHasAFirstMomentAndNoLast) {
    const auto p = orders_.order_in("paid", sale_, 1);
    EXPECT_EQ(between(p.at, p.at + milliseconds(1)).size(), 1U);
    EXPECT_THAT(between(p.at - milliseconds(1), p.at), IsEmpty());
    EXPECT_THAT(between(p.at + milliseconds(1), dusk_), IsEmpty());
}

TEST_P(SettlementContractTest, MoneyThatCameLateOrTwiceIsListedAndSoIsWhatWentBack) {
    const auto late = orders_.order_in("late", sale_, 1),
               twice = orders_.order_in("twice", sale_, 2);
    EXPECT_THAT(between(dawn_, dusk_), ElementsAre("1001 paid 9900", "1002 paid 9900"));
    EXPECT_THAT(between(dawn_, dusk_, other_method), ElementsAre("1002 paid 9900"));
    ASSERT_TRUE(orders_.finish_refund(late).moved);
    ASSERT_TRUE(orders_.finish_refund(twice).moved);
    EXPECT_THAT(between(dawn_, dusk_),
                ElementsAre("1001 paid 9900", "1001 refunded 9900", "1002 paid 9900"));
    EXPECT_THAT(between(dawn_, dusk_, other_method),
                ElementsAre("1002 paid 9900", "1002 refunded 9900"));
}

TEST_P(SettlementContractTest, ARefundInPartsIsALineForEachWhenItIsDone) {
    const auto p = orders_.order_in("part", sale_, 1);
    ASSERT_TRUE(orders_.ask_refund(p, {.amount = {300}}).moved);
    EXPECT_THAT(between(dawn_, dusk_), ElementsAre("1001 paid 9900", "1001 refunded 100"));
    const instant later = p.at + milliseconds(5);
    ASSERT_TRUE(moves_.finish_refund(p.order, "1001R2", later).value().moved);
    EXPECT_THAT(between(dawn_, dusk_),
                ElementsAre("1001 paid 9900", "1001 refunded 100", "1001 refunded 300"));
    EXPECT_THAT(between(later, later + milliseconds(1)), ElementsAre("1001 refunded 300"))
        << "at the time when it was done";
}

TEST_P(SettlementContractTest, ATradeIsFoundByItsOrderAndMethod) {
    settlements from(verbs_.db());
    const auto shown = [&](const char* state, const char* with = method) {
        static std::int64_t buyer = 0;
        const auto no = orders_.order_in(state, sale_, ++buyer).order;
        const auto got = from.find({no}, with).value();
        if (got.empty()) return std::string("none");
        EXPECT_EQ(got[0].no, no);
        return fmt::format("{} {}{} {}", to_text(got[0].order), got[0].amount.value,
                           got[0].paid ? " paid" : "", got[0].refunded.value);
    };
    EXPECT_EQ(shown("unpaid"), "none");
    EXPECT_EQ(shown("begun"), "unpaid 9900 0");
    EXPECT_EQ(shown("begun", other_method), "none");
    EXPECT_EQ(shown("closing"), "unpaid 9900 0");
    EXPECT_EQ(shown("paid"), "paid 9900 paid 0");
    EXPECT_EQ(shown("refunding"), "refunding 9900 paid 9900") << "it is to be given back";
    EXPECT_EQ(shown("refunded"), "refunded 9900 paid 9900");
    EXPECT_EQ(shown("part"), "paid 9900 paid 100");
    EXPECT_EQ(shown("late"), "closed 9900 paid 9900");
    EXPECT_EQ(shown("twice"), "paid 9900 paid 0");
    EXPECT_EQ(shown("twice", other_method), "paid 9900 paid 9900");
}

TEST_P(SettlementContractTest, MoreTradesAreFoundThanOneStatementNames) {
    std::vector<sale::order_no> numbers;
    for (std::uint64_t n = 1; n <= 600; ++n) numbers.push_back({n});
    numbers.push_back(orders_.order_in("paid", sale_, 1).order);
    settlements from(verbs_.db());
    EXPECT_EQ(from.find(numbers, method).value().size(), 1U);
    EXPECT_THAT(from.find({}, method).value(), IsEmpty());
}

}  // namespace
}  // namespace floodgate::ledger
