// The contract of the turnstile, run against every implementation.

#include "gate/turnstile_contract.hpp"

#include <set>

#include "gate/random_sale.hpp"

namespace floodgate::gate {
namespace {

using sale::answer;

TEST_P(TurnstileContractTest, PromisesAUnitAndPutsThePromiseInTheLine) {
    warm_up(open_sale(1, 2));
    const auto v = ask_one(1, 7);
    EXPECT_EQ(v.what, answer::accepted);
    const auto line = world_->line();
    ASSERT_EQ(line.size(), 1U);
    const sale::promise expected{.order = v.order,
                                 .sale = {1},
                                 .buyer = {7},
                                 .quantity = 1,
                                 .unit_price = {990},
                                 .unit_points = {30},
                                 .at = opening};
    EXPECT_EQ(line[0], expected);
}

TEST_P(TurnstileContractTest, RefusesByTheTermsOfTheSale) {
    EXPECT_EQ(ask_one(99, 1).what, answer::unknown_sale);
    sale::sale s = open_sale(1, 5, 3);
    s.state = sale::sale_state::draft;
    warm_up(s);
    EXPECT_EQ(ask_one(1, 1).what, answer::unknown_sale);
    s.state = sale::sale_state::paused;
    warm_up(s);
    EXPECT_EQ(ask_one(1, 1).what, answer::paused);
    s.state = sale::sale_state::ended;
    warm_up(s);
    EXPECT_EQ(ask_one(1, 1).what, answer::ended);
    s.state = sale::sale_state::published;
    warm_up(s);
    const auto early = ask_one(1, 1, 1, {}, opening - milliseconds(1));
    EXPECT_EQ(early.what, answer::not_started);
    EXPECT_EQ(early.starts_at, opening);
    const auto greedy = ask_one(1, 1, 4);
    EXPECT_EQ(greedy.what, answer::over_limit);
    EXPECT_EQ(greedy.units, 3);
    EXPECT_EQ(ask_one(1, 1).what, answer::accepted);
    EXPECT_EQ(ask_one(1, 2, 1, {}, s.ends_at - milliseconds(1)).what, answer::accepted);
    EXPECT_EQ(ask_one(1, 3, 1, {}, s.ends_at).what, answer::ended);
}

TEST_P(TurnstileContractTest, SellsOneToABuyerAndNamesTheOrderTheyHave) {
    warm_up(open_sale(1, 2));
    const auto first = ask_one(1, 7);
    const auto second = ask_one(1, 7);
    EXPECT_EQ(second.what, answer::already_ordered);
    EXPECT_EQ(second.order, first.order);
    EXPECT_EQ(ask_one(1, 8).what, answer::accepted);
    EXPECT_EQ(ask_one(1, 9).what, answer::sold_out);
    EXPECT_EQ(ask_one(1, 7).what, answer::already_ordered) << "also when it is sold out";
}

TEST_P(TurnstileContractTest, JudgesTheAttemptsOfOneBatchInOrder) {
    warm_up(open_sale(1, 3, 2));
    warm_up(open_sale(9, 1));
    EXPECT_EQ(
        answers({{.sale = {1}, .buyer = {7}},
                 {.sale = {9}, .buyer = {7}},
                 {.sale = {1}, .buyer = {7}},
                 {.sale = {1}, .buyer = {7}},
                 {.sale = {9}, .buyer = {8}},
                 {.sale = {1}, .buyer = {8}, .quantity = 2},
                 {.sale = {1}, .buyer = {8}},
                 {.sale = {1}, .buyer = {9}}}),
        (std::vector{answer::accepted, answer::accepted, answer::accepted, answer::already_ordered,
                     answer::sold_out, answer::not_enough, answer::accepted, answer::sold_out}));
}

TEST_P(TurnstileContractTest, CountsSeveralUnitsAgainstLimitAndStock) {
    warm_up(open_sale(1, 5, 3));
    const auto first = ask_one(1, 7, 2);
    EXPECT_EQ(first.what, answer::accepted);
    const auto more = ask_one(1, 7, 2);
    EXPECT_EQ(more.what, answer::already_ordered);
    EXPECT_EQ(more.order, first.order);
    const auto third = ask_one(1, 7, 1);
    EXPECT_EQ(third.what, answer::accepted);
    EXPECT_EQ(ask_one(1, 7, 1).order, third.order) << "the latest";
    const auto few = ask_one(1, 8, 3);
    EXPECT_EQ(few.what, answer::not_enough);
    EXPECT_EQ(few.units, 2);
    EXPECT_EQ(gate().look_up({1})->largest, 2U);
}

TEST_P(TurnstileContractTest, GivesTheSameOrderForTheSameKey) {
    warm_up(open_sale(1, 5, 3));
    const auto first = ask_one(1, 7, 1, key_number(1));
    EXPECT_EQ(first.what, answer::accepted);
    const auto again = ask_one(1, 7, 1, key_number(1));
    EXPECT_EQ(again.what, answer::repeated);
    EXPECT_EQ(again.order, first.order);
    const auto other = ask_one(1, 7, 2, key_number(1));
    EXPECT_EQ(other.what, answer::key_reused);
    EXPECT_EQ(other.order, first.order);
    EXPECT_EQ(ask_one(1, 7, 1, key_number(2)).what, answer::accepted);
    EXPECT_EQ(world_->line()[0].key, key_number(1));
}

TEST_P(TurnstileContractTest, PutsTheKeyBeforeEverythingElse) {
    sale::sale s = open_sale(1, 1);
    warm_up(s);
    const auto first = ask_one(1, 7, 1, key_number(1));
    EXPECT_EQ(ask_one(1, 7, 5, key_number(1)).what, answer::key_reused) << "before over_limit";
    s.state = sale::sale_state::paused;
    warm_up(s);
    EXPECT_EQ(ask_one(1, 7, 1, key_number(1)).what, answer::repeated);
    gate().release({1}, {7}, first.order);
    EXPECT_EQ(ask_one(1, 7, 1, key_number(1)).what, answer::repeated) << "also when it is closed";
}

TEST_P(TurnstileContractTest, SeesTheSameKeyTwiceInOneBatch) {
    warm_up(open_sale(1, 5, 3));
    const sale::attempt a{.sale = {1}, .buyer = {7}, .key = key_number(1)};
    EXPECT_EQ(answers({a, a}), (std::vector{answer::accepted, answer::repeated}));
    EXPECT_EQ(gate().look_up({1})->taken, 1);
}

TEST_P(TurnstileContractTest, AsksInTheOrderOfPrecedence) {
    sale::sale s = open_sale(1, 0, 1);
    warm_up(s);
    EXPECT_EQ(ask_one(1, 7, 2).what, answer::over_limit) << "before sold_out";
    EXPECT_EQ(ask_one(1, 7, 2, {}, opening - milliseconds(1)).what, answer::not_started)
        << "before over_limit";
    s.state = sale::sale_state::paused;
    warm_up(s);
    EXPECT_EQ(ask_one(1, 7, 2, {}, opening - milliseconds(1)).what, answer::paused)
        << "before not_started";
}

TEST_P(TurnstileContractTest, TakesUnitsBackOnce) {
    warm_up(open_sale(1, 1));
    const auto v = ask_one(1, 7);
    gate().release({1}, {7}, {v.order.value + 1});
    gate().release({1}, {8}, v.order);
    gate().release({99}, {7}, v.order);
    EXPECT_EQ(gate().look_up({1})->taken, 1) << "not theirs, not that one";
    gate().release({1}, {7}, v.order);
    gate().release({1}, {7}, v.order);
    const auto s = gate().look_up({1});
    EXPECT_EQ(s->taken, 0);
    EXPECT_EQ(s->given, 1);
    EXPECT_EQ(s->returned, 1);
    EXPECT_EQ(s->buyers, 0U);
    EXPECT_EQ(ask_one(1, 7).what, answer::accepted) << "they may buy again";
}

TEST_P(TurnstileContractTest, TakesManyUnitsBackAtOnceWhereverTheyWere) {
    std::vector<turnstile::returned> back;
    for (std::int64_t id = 1; id <= 20; ++id) {  // in every partition
        warm_up(open_sale(id, 60));
        for (std::int64_t buyer = 1; buyer <= 60; ++buyer)
            back.push_back({{id}, {buyer}, ask_one(id, buyer).order});
    }
    back.push_back(back.front());
    back.push_back({{99}, {1}, {12345}});
    const turnstile::returned kept = back[5];
    back.erase(back.begin() + 5);
    gate().release_all(back);
    EXPECT_EQ(gate().held_in(kept.sale), (std::vector<held_unit>{{kept.buyer, kept.order, 1}}));
    for (std::int64_t id = 2; id <= 20; ++id) EXPECT_EQ(gate().look_up({id})->taken, 0) << id;
}

TEST_P(TurnstileContractTest, TakesTheMiddleOneOfThreeOrdersBack) {
    warm_up(open_sale(1, 9, 3));
    std::vector<sale::order_no> orders;
    orders.reserve(3);
    for (int i = 0; i < 3; ++i) orders.push_back(ask_one(1, 7).order);
    gate().release({1}, {7}, orders[1]);
    const auto has = gate().promised_to({7});
    ASSERT_EQ(has.size(), 2U);
    EXPECT_EQ(has[0].order, orders[2]) << "newest first";
    EXPECT_EQ(has[1].order, orders[0]);
    gate().release({1}, {7}, orders[2]);
    EXPECT_EQ(ask_one(1, 7, 3).order, orders[0]) << "already_ordered names the latest that is left";
}

TEST_P(TurnstileContractTest, WarmsUpInTheMiddleOfARush) {
    sale::sale s = open_sale(1, 3);
    warm_up(s);
    for (std::int64_t b = 1; b <= 3; ++b) EXPECT_EQ(ask_one(1, b).what, answer::accepted);
    warm_up(s);
    EXPECT_EQ(gate().look_up({1})->taken, 3) << "what was taken stays taken";
    EXPECT_EQ(ask_one(1, 4).what, answer::sold_out);
    s.stock = 2;
    EXPECT_EQ(gate().warm_up(s).error(), make_error_code(errc::conflict));
    EXPECT_EQ(gate().look_up({1})->stock, 3);
    s.stock = 4;
    s.price = {500};
    warm_up(s);
    EXPECT_EQ(ask_one(1, 4).what, answer::accepted);
    EXPECT_EQ(world_->line().back().unit_price.value, 500);
    EXPECT_EQ(ask_one(1, 5).what, answer::sold_out);
}

TEST_P(TurnstileContractTest, KeepsTheLatestTermsWhateverTheOrderTheyArriveIn) {
    sale::sale s = open_sale(1, 3);
    s.revision = 7;
    warm_up(s);
    sale::sale old = s;
    old.revision = 6;
    old.stock = 99;
    warm_up(old);
    EXPECT_EQ(gate().look_up({1})->stock, 3);
    s.revision = 0;  // the ledger does not have them, so they are taken over
    s.stock = 4;
    warm_up(s);
    EXPECT_EQ(gate().look_up({1})->stock, 4);
    warm_up(old);
    EXPECT_EQ(gate().look_up({1})->stock, 4);
}

TEST_P(TurnstileContractTest, NamesWhatItHoldsAndTakesBackWhatItLost) {
    warm_up(open_sale(1, 3, 2));
    EXPECT_TRUE(gate().held_in({1}).empty());
    EXPECT_TRUE(gate().held_in({99}).empty());
    const auto a = ask_one(1, 7), b = ask_one(1, 5, 2);
    EXPECT_EQ(gate().held_in({1}), (std::vector<held_unit>{{{7}, a.order, 1}, {{5}, b.order, 2}}));
    sale::promise p = world_->line()[1];
    gate().release({1}, {5}, b.order);
    ASSERT_TRUE(gate().retake(p).has_value());
    ASSERT_TRUE(gate().retake(p).has_value());
    EXPECT_EQ(gate().look_up({1})->taken, 3);
    EXPECT_EQ(gate().held_in({1}).size(), 2U);
    p.order.value += 1;
    EXPECT_EQ(gate().retake(p).error(), make_error_code(errc::conflict));
    p.sale = {99};
    EXPECT_EQ(gate().retake(p).error(), make_error_code(errc::not_found));
}

TEST_P(TurnstileContractTest, LooksAtSeveralSalesAtOnce) {
    for (std::int64_t id = 1; id <= 12; ++id) warm_up(open_sale(id, id));
    ask_one(5, 7);
    const std::vector<sale::sale_id> ids{{3}, {99}, {5}, {12}};
    const auto seen = gate().look_up_all(ids);
    ASSERT_EQ(seen.size(), 4U);
    EXPECT_EQ(seen[0]->stock, 3);
    EXPECT_FALSE(seen[1].has_value());
    EXPECT_EQ(seen[2]->taken, 1);
    EXPECT_EQ(seen[2]->buyers, 1U);
    EXPECT_GT(seen[2]->bytes, 0U);
    EXPECT_EQ(seen[3]->stock, 12);
}

TEST_P(TurnstileContractTest, FindsABuyersOrdersInAllSales) {
    for (std::int64_t id = 1; id <= 9; ++id) warm_up(open_sale(id, 5, 2));
    std::vector<sale::order_no> expected;
    for (const std::int64_t id : {2, 9, 2, 4}) expected.push_back(ask_one(id, 7).order);
    ask_one(3, 8);
    std::ranges::sort(expected, std::greater<>{});
    std::vector<sale::order_no> found;
    for (const auto& p : gate().promised_to({7})) found.push_back(p.order);
    std::ranges::sort(found, std::greater<>{});
    EXPECT_EQ(found, expected);
    EXPECT_TRUE(gate().promised_to({1000}).empty());
}

TEST_P(TurnstileContractTest, ForgetsASaleWithAllItHolds) {
    warm_up(open_sale(1, 5));
    warm_up(open_sale(2, 5));
    ASSERT_EQ(ask_one(1, 7).what, answer::accepted);
    ASSERT_EQ(ask_one(2, 7).what, answer::accepted);
    ASSERT_TRUE(gate().forget(open_sale(1, 5)).has_value());
    EXPECT_FALSE(gate().look_up({1}).has_value());
    EXPECT_EQ(ask_one(1, 8).what, answer::unknown_sale);
    EXPECT_TRUE(gate().held_in({1}).empty());
    EXPECT_EQ(gate().promised_to({7}).size(), 1U) << "the other sale's";
    EXPECT_TRUE(gate().forget(open_sale(1, 5)).has_value()) << "once more is harmless";
    gate().release({1}, {7}, {1});  // a late release is harmless too
}

TEST_P(TurnstileContractTest, KeepsASaleWhoseTermsAreLaterThanThoseItIsToForget) {
    sale::sale s = open_sale(1, 5);
    s.revision = 4;
    warm_up(s);
    s.revision = 3;
    EXPECT_EQ(gate().forget(s).error(), make_error_code(errc::conflict));
    EXPECT_TRUE(gate().look_up({1}).has_value());
    s.revision = 4;
    EXPECT_TRUE(gate().forget(s).has_value());
}

TEST_P(TurnstileContractTest, AgreesWithTheShelfWhateverHappens) {
    for (unsigned round = 1; round <= 10 && !HasFailure(); ++round) {
        random_sale one(gate(), *lane_, round, round);
        for (int step = 0; step < 25 && !HasFailure(); ++step) {
            const instant now = opening + milliseconds(step * 2500 - 2000);
            one.attempt(now);
            one.release_one(now);
            one.change_terms();
        }
        one.compare_standing();
        EXPECT_FALSE(HasFailure()) << "seed " << round;
    }
}

TEST_P(TurnstileContractTest, SellsExactlyTheStockToFourLanesAtOnce) {
    constexpr int lanes = 4;
    constexpr std::int64_t buyers = 3000, stock = 1000;
    constexpr std::size_t batch = 50;
    warm_up(open_sale(1, stock));
    std::vector<std::thread> crowd;
    crowd.reserve(lanes);
    std::array<std::map<std::int64_t, sale::order_no>, lanes> accepted;
    for (int t = 0; t < lanes; ++t) {
        crowd.emplace_back([&, t] {  // every buyer tries twice, in different lanes
            const auto way = gate().open_lane([] {});
            std::vector<sale::attempt> attempts;
            for (std::int64_t b = 1; b <= buyers; ++b) {
                if (b % lanes == t || (b + 1) % lanes == t)
                    attempts.push_back({.sale = {1}, .buyer = {b}});
                if (attempts.size() < batch && b < buyers) continue;
                const auto told = ask(*way, attempts);
                for (std::size_t i = 0; i < told.size(); ++i)
                    if (told[i].what == answer::accepted)
                        accepted[static_cast<std::size_t>(t)][attempts[i].buyer.value] =
                            told[i].order;
                attempts.clear();
            }
        });
    }
    for (auto& t : crowd) t.join();
    std::set<sale::order_no> orders;
    std::set<std::int64_t> who;
    for (const auto& of_lane : accepted) {
        for (const auto& [buyer, order] : of_lane) {
            EXPECT_TRUE(who.insert(buyer).second) << "one for each";
            orders.insert(order);
        }
    }
    EXPECT_EQ(orders.size(), static_cast<std::size_t>(stock));
    std::set<sale::order_no> in_line;
    for (const auto& p : world_->line()) in_line.insert(p.order);
    EXPECT_EQ(in_line, orders);
    EXPECT_EQ(gate().look_up({1})->taken, stock);
}

INSTANTIATE_TEST_SUITE_P(All, TurnstileContractTest, every_turnstile, name_of_turnstile);

}  // namespace
}  // namespace floodgate::gate
