#include "gate/arbiter.hpp"

#include <gtest/gtest.h>

#include <random>

namespace floodgate::gate {
namespace {

using sale::answer;

const instant opening = from_ms(1'800'000'000'000);

sale::sale open_sale(std::int64_t id, std::int64_t stock, std::uint32_t limit = 1) {
    return {.id = {id},
            .price = {990},
            .price_points = {5},
            .stock = stock,
            .limit = limit,
            .state = sale::sale_state::published,
            .starts_at = opening,
            .ends_at = opening + milliseconds(60'000)};
}

TEST(Arbiter, DoesNotKnowASaleThatWasNotWarmedUp) {
    arbiter a(0);
    EXPECT_EQ(a.decide({.sale = {1}, .buyer = {1}}, opening, true).verdict.what,
              answer::unknown_sale);
}

TEST(Arbiter, WritesTermsOfTheMomentIntoThePromise) {
    arbiter a(3);
    ASSERT_TRUE(a.warm_up(open_sale(1, 10, 5)).has_value());
    const decision d =
        a.decide({.sale = {1}, .buyer = {8}, .quantity = 2, .reply_to = 77}, opening, true);
    EXPECT_EQ(d.verdict.reply_to, 77U);
    EXPECT_EQ(d.promise.order, d.verdict.order);
    EXPECT_EQ(d.promise.buyer.value, 8);
    EXPECT_EQ(d.promise.quantity, 2U);
    EXPECT_EQ(d.promise.unit_price.value, 990);
    EXPECT_EQ(d.promise.unit_points.value, 5);
    EXPECT_EQ(d.promise.at, opening);
}

TEST(Arbiter, IsBusyOnlyForWhatItWouldAccept) {
    arbiter a(0);
    ASSERT_TRUE(a.warm_up(open_sale(1, 0)).has_value());
    ASSERT_TRUE(a.warm_up(open_sale(2, 1)).has_value());
    EXPECT_EQ(a.decide({.sale = {1}, .buyer = {1}}, opening, false).verdict.what, answer::sold_out);
    EXPECT_EQ(a.decide({.sale = {2}, .buyer = {1}}, opening, false).verdict.what, answer::busy);
    EXPECT_EQ(a.decide({.sale = {2}, .buyer = {1}}, opening, true).verdict.what, answer::accepted);
}

// A restart replays the promises. After it, the same attempts must get the same answers.
TEST(Arbiter, IsInTheSameStateAfterReplayingItsPromises) {
    for (unsigned seed = 1; seed <= 50; ++seed) {
        std::mt19937 random(seed);
        const auto pick = [&](int n) {
            return static_cast<std::int64_t>(random() % static_cast<unsigned>(n));
        };
        arbiter live(1);
        arbiter replayed(1);
        for (std::int64_t id = 1; id <= 3; ++id) {
            const auto s = open_sale(id, 20, static_cast<std::uint32_t>(id));
            ASSERT_TRUE(live.warm_up(s).has_value());
            ASSERT_TRUE(replayed.warm_up(s).has_value());
        }
        const auto any_attempt = [&] {
            sale::attempt a{.sale = {1 + pick(4)},
                            .buyer = {1 + pick(40)},
                            .quantity = static_cast<std::uint32_t>(1 + pick(2))};
            if (pick(3) == 0) a.key[0] = static_cast<std::byte>(1 + a.buyer.value);
            return a;
        };
        std::uint64_t seq = 0;
        for (int i = 0; i < 200; ++i) {
            decision d = live.decide(any_attempt(), opening + milliseconds(i), true);
            if (d.verdict.what != answer::accepted) continue;
            d.on->put_down(d.promise, {++seq});
            replayed.restore(d.promise, {seq});
        }
        for (int i = 0; i < 200; ++i) {
            const auto a = any_attempt();
            const auto one = live.decide(a, opening, true).verdict;
            const auto two = replayed.decide(a, opening, true).verdict;
            ASSERT_EQ(one.what, two.what) << "seed " << seed;
            if (one.what != answer::accepted) {
                ASSERT_EQ(one.order, two.order) << "seed " << seed;
            }
        }
    }
}

TEST(Arbiter, NeverReusesAnOrderNumberAfterARestart) {
    arbiter a(0);
    ASSERT_TRUE(a.warm_up(open_sale(1, 10)).has_value());
    const sale::order_no far = sale::order_numbers(0).next(opening + milliseconds(5000));
    a.skip_past(far);
    EXPECT_GT(a.decide({.sale = {1}, .buyer = {1}}, opening, true).verdict.order, far);
}

}  // namespace
}  // namespace floodgate::gate
