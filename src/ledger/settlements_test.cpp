#include "ledger/settlements.hpp"

#include <algorithm>

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

TEST_P(SettlementContractTest, OrdersAreFoundWithTheirMethods) {
    settlements from(verbs_.db());
    const auto begun = orders_.order_in("late", sale_, 1), not_begun = orders_.order(sale_, 2);
    auto found = from.find({begun.order, {4711}, not_begun.order}).value();
    std::ranges::sort(found, {}, [](const paid_order& o) { return o.no.value; });
    ASSERT_EQ(found.size(), 2U) << "there is no 4711";
    EXPECT_EQ(found[0].no, begun.order);
    EXPECT_EQ(found[0].method, method);
    EXPECT_EQ(found[0].state, sale::order_state::closed);
    EXPECT_EQ(found[1].no, not_begun.order);
    EXPECT_EQ(found[1].method, "");
    EXPECT_THAT(from.find({}).value(), IsEmpty());
}

TEST_P(SettlementContractTest, MoreOrdersAreFoundThanOneStatementNames) {
    std::vector<sale::order_no> numbers;
    for (std::uint64_t n = 1; n <= 600; ++n) numbers.push_back({n});
    numbers.push_back(orders_.order(sale_, 1).order);
    EXPECT_EQ(settlements(verbs_.db()).find(numbers).value().size(), 1U);
}

}  // namespace
}  // namespace floodgate::ledger
