// For every turnstile: a buyer who gave units back has to wait, other buyers do not.

#include "gate/turnstile_contract.hpp"

namespace floodgate::gate {
namespace {

using sale::answer;

class CoolDownContractTest : public TurnstileContractTest {};
INSTANTIATE_TEST_SUITE_P(All, CoolDownContractTest, every_turnstile, name_of_turnstile);

TEST_P(CoolDownContractTest, MakesABuyerWhoGaveAUnitBackWaitWhileOthersBuyIt) {
    constexpr milliseconds wait{30'000};
    warm_up(open_sale(1, 1));
    const auto v = ask_one(1, 7);
    gate().release({{1}, {7}, v.order, {opening, opening + wait}});
    const auto told = ask_one(1, 7);
    EXPECT_EQ(told.what, answer::cooling_down);
    EXPECT_EQ(told.cool_until, opening + wait);
    EXPECT_EQ(ask_one(1, 8).what, answer::accepted) << "at once";
    EXPECT_EQ(ask_one(1, 9).what, answer::sold_out);
    EXPECT_EQ(ask_one(1, 7).what, answer::cooling_down) << "before sold_out";
    EXPECT_EQ(ask_one(1, 7, 2).what, answer::over_limit) << "before cooling_down";
    EXPECT_EQ(ask_one(1, 7, 1, {}, opening + wait - milliseconds(1)).what, answer::cooling_down);
    EXPECT_EQ(ask_one(1, 7, 1, {}, opening + wait).what, answer::sold_out) << "they have waited";
}

TEST_P(CoolDownContractTest, MakesABuyerWaitInThatSaleOnly) {
    warm_up(open_sale(1, 5));
    warm_up(open_sale(9, 5));  // in the same partition
    const auto v = ask_one(1, 7);
    gate().release({{1}, {7}, v.order, {opening, opening + milliseconds(1000)}});
    EXPECT_EQ(
        answers({{.sale = {1}, .buyer = {6}},
                 {.sale = {1}, .buyer = {7}},
                 {.sale = {9}, .buyer = {7}},
                 {.sale = {1}, .buyer = {8}}}),
        (std::vector{answer::accepted, answer::cooling_down, answer::accepted, answer::accepted}));
}

TEST_P(CoolDownContractTest, TellsACoolingBuyerOfAnotherOrderWhenTheLimitIsReached) {
    warm_up(open_sale(1, 5, 2));
    const auto kept = ask_one(1, 7), back = ask_one(1, 7);
    gate().release({{1}, {7}, back.order, {opening, opening + milliseconds(1000)}});
    const auto two = ask_one(1, 7, 2);
    EXPECT_EQ(two.what, answer::already_ordered);
    EXPECT_EQ(two.order, kept.order);
    EXPECT_EQ(ask_one(1, 7, 1).what, answer::cooling_down);
}

TEST_P(CoolDownContractTest, KeepsTheLongestWait) {
    warm_up(open_sale(1, 5, 3));
    std::vector<sale::order_no> orders;
    orders.reserve(3);
    for (int i = 0; i < 3; ++i) orders.push_back(ask_one(1, 7).order);
    const instant until = opening + milliseconds(2000);
    gate().release({{1}, {7}, orders[0], {opening, until}});
    gate().release({{1}, {7}, orders[1], {opening, until - milliseconds(500)}});
    gate().release({1}, {7}, orders[2]);  // refunded: no reason to wait, and none to wait less
    gate().release({{1}, {7}, orders[0], {opening, until}});
    const auto told = ask_one(1, 7);
    EXPECT_EQ(told.what, answer::cooling_down);
    EXPECT_EQ(told.cool_until, until);
    EXPECT_EQ(ask_one(1, 7, 1, {}, until).what, answer::accepted);
}

TEST_P(CoolDownContractTest, MakesManyBuyersWaitAtOnce) {
    constexpr std::int64_t crowd = 1500;
    warm_up(open_sale(1, crowd));
    std::vector<turnstile::returned> back;
    const auto told = ask(*lane_, attempts_of(1, crowd));
    for (std::int64_t b = 1; b <= crowd; ++b)
        back.push_back({{1},
                        {b},
                        told[static_cast<std::size_t>(b - 1)].order,
                        {opening, opening + milliseconds(1000)}});
    gate().release_all(back);
    EXPECT_EQ(gate().look_up({1})->taken, 0);
    EXPECT_EQ(count(ask(*lane_, attempts_of(1, crowd)), answer::cooling_down),
              static_cast<std::size_t>(crowd));
    EXPECT_EQ(
        count(ask(*lane_, attempts_of(1, crowd), opening + milliseconds(1000)), answer::accepted),
        static_cast<std::size_t>(crowd));
}

TEST_P(CoolDownContractTest, ForgetsWhoHasToWaitWithTheSale) {
    warm_up(open_sale(1, 5));
    const auto v = ask_one(1, 7);
    gate().release({{1}, {7}, v.order, {opening, opening + milliseconds(1000)}});
    ASSERT_TRUE(gate().forget(open_sale(1, 5)).has_value());
    warm_up(open_sale(1, 5));
    EXPECT_EQ(ask_one(1, 7).what, answer::accepted);
}

}  // namespace
}  // namespace floodgate::gate
