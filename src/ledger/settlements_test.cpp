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
    for (const char* state : {"unpaid", "closed", "failed", "begun", "closing", "late"})
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

TEST_P(SettlementContractTest, AnOrderIsFoundWithItsMethod) {
    settlements from(verbs_.db());
    const auto begun = orders_.order_in("late", sale_, 1), not_begun = orders_.order(sale_, 2);
    EXPECT_EQ(from.find(begun.order).value().method, method);
    EXPECT_EQ(from.find(begun.order).value().state, sale::order_state::closed);
    EXPECT_EQ(from.find(not_begun.order).value().method, "");
    EXPECT_EQ(from.find({4711}).error(), errc::not_found);
}

}  // namespace
}  // namespace floodgate::ledger
