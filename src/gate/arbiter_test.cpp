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
            const decision d = live.decide(any_attempt(), opening + milliseconds(i), true);
            if (d.verdict.what != answer::accepted) continue;
            live.put_down(d, {++seq});
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

TEST(Arbiter, KnowsTheKeysOfAllSalesAfterARestart) {
    arbiter a(0);
    for (const std::int64_t id : {1, 2, 3}) ASSERT_TRUE(a.warm_up(open_sale(id, 10)).has_value());
    sale::promise held{.order = {50}, .sale = {1}, .buyer = {7}}, closed = held, lost = held;
    held.key[0] = std::byte{1};
    closed.key[0] = std::byte{2};
    closed.order = {51};
    lost.key[0] = std::byte{3};
    lost.order = {52};
    lost.buyer = {8};
    a.restore(held, {1});
    a.restore_key(closed);
    ASSERT_TRUE(a.retake(lost).has_value());
    for (const sale::promise& p : {held, closed, lost}) {
        const sale::attempt elsewhere{.sale = {2}, .buyer = {7}, .key = p.key, .reply_to = 5};
        const decision d = a.decide(elsewhere, opening, true);
        EXPECT_EQ(d.verdict.what, answer::key_reused);
        EXPECT_EQ(d.verdict.reply_to, 5U);
        EXPECT_EQ(d.on, a.find({1})) << "which the verdict rests on";
    }
}

TEST(Arbiter, LetsAKeyGoWithItsSale) {
    arbiter a(0);
    for (const std::int64_t id : {1, 2}) ASSERT_TRUE(a.warm_up(open_sale(id, 10)).has_value());
    sale::promise p{.order = {50}, .sale = {1}, .buyer = {7}};
    p.key[0] = std::byte{1};
    a.restore(p, {1});
    const sale::attempt elsewhere{.sale = {2}, .buyer = {7}, .key = p.key};
    const auto gone = a.forget({1});
    ASSERT_TRUE(gone);
    EXPECT_EQ(gone->keys(), std::vector{p.key});
    EXPECT_FALSE(a.forget({1})) << "once";
    const decision d = a.decide(elsewhere, opening, true);
    EXPECT_EQ(d.verdict.what, answer::accepted) << "its sale is not loaded";
    a.put_down(d, {2});
    a.forget_keys({1}, gone->keys());
    EXPECT_EQ(a.decide(elsewhere, opening, true).verdict.what, answer::repeated)
        << "only the first sale's hold on it is gone";
    // The first sale comes back, say with a new window.
    ASSERT_TRUE(a.warm_up(open_sale(1, 10)).has_value());
    a.restore(p, {});
    EXPECT_EQ(a.decide(elsewhere, opening, true).verdict.what, answer::repeated);
    EXPECT_EQ(a.decide({.sale = {1}, .buyer = {7}, .key = p.key}, opening, true).verdict.what,
              answer::key_reused)
        << "never two orders";
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
