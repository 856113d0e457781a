// The contract of the turnstile: one Idempotency-Key is one intent, across sales.

#include <numeric>
#include <set>

#include "gate/turnstile_contract.hpp"

namespace floodgate::gate {
namespace {

using sale::answer;

class TurnstileKeysTest : public TurnstileContractTest {};

// Sales 1 and 9 share a partition of a cluster, sale 2 is in another.
TEST_P(TurnstileKeysTest, TakesAKeyForOneSaleOnly) {
    for (const std::int64_t id : {1, 2, 9}) warm_up(open_sale(id, 5));
    const auto first = ask_one(1, 7, 1, key_number(1));
    EXPECT_EQ(first.what, answer::accepted);
    for (const std::int64_t id : {2, 9, 77})
        EXPECT_EQ(ask_one(id, 7, 1, key_number(1)).what, answer::key_reused) << id;
    EXPECT_EQ(gate().look_up({2})->taken, 0);
    EXPECT_EQ(gate().look_up({9})->taken, 0);
    const auto again = ask_one(1, 7, 1, key_number(1));
    EXPECT_EQ(again.what, answer::repeated);
    EXPECT_EQ(again.order, first.order);
    EXPECT_EQ(again.buyer, sale::user_id{7});
    gate().release({1}, {7}, first.order);
    EXPECT_EQ(ask_one(2, 7, 1, key_number(1)).what, answer::key_reused) << "also when it is closed";
    EXPECT_EQ(ask_one(2, 7, 1, key_number(2)).what, answer::accepted) << "another key";
    EXPECT_EQ(ask_one(9, 7).what, answer::accepted) << "no key";
}

TEST_P(TurnstileKeysTest, SeesOneKeyForTwoSalesInOneBatch) {
    warm_up(open_sale(1, 5));
    warm_up(open_sale(2, 5));
    EXPECT_EQ(answers({{.sale = {2}, .buyer = {7}, .key = key_number(1)},
                       {.sale = {1}, .buyer = {7}, .key = key_number(1)},
                       {.sale = {1}, .buyer = {8}}}),
              (std::vector{answer::accepted, answer::key_reused, answer::accepted}));
    EXPECT_EQ(gate().look_up({1})->taken, 1);
}

// Every key is sent for two sales by four lanes at once: each leads to one order.
TEST_P(TurnstileKeysTest, MakesOneOrderOfOneKeyHoweverManySalesItIsSentTo) {
    constexpr int lanes = 4, keys = 200;
    for (const std::int64_t id : {1, 2}) warm_up(open_sale(id, 1000));
    std::vector<std::thread> crowd;
    std::array<int, lanes> accepted{};
    for (int t = 0; t < lanes; ++t) {
        crowd.emplace_back([&, t] {
            const auto way = gate().open_lane([] {});
            std::vector<sale::attempt> attempts;
            for (int k = 1; k <= keys; ++k)
                attempts.push_back({.sale = {1 + (k + t) % 2}, .buyer = {k}, .key = key_number(k)});
            for (const auto& v : ask(*way, attempts))
                accepted[static_cast<std::size_t>(t)] += v.what == answer::accepted ? 1 : 0;
        });
    }
    for (auto& t : crowd) t.join();
    std::set<sale::idempotency_key> used;
    for (const auto& p : world_->line())
        EXPECT_TRUE(used.insert(p.key).second) << "two orders under one key";
    EXPECT_EQ(used.size(), static_cast<std::size_t>(keys));
    EXPECT_EQ(std::accumulate(accepted.begin(), accepted.end(), 0), keys);
}

INSTANTIATE_TEST_SUITE_P(All, TurnstileKeysTest, every_turnstile, name_of_turnstile);

}  // namespace
}  // namespace floodgate::gate
