// What only the cluster's turnstile has to keep. harmed_redis_test.cpp tests a Redis that fails.

#include "gate/redis_turnstile.hpp"

#include "gate/gate_keys.hpp"
#include "gate/turnstile_fixture.hpp"

namespace floodgate::gate {
namespace {

using sale::answer;

const auto fenced = make_error_code(errc::fenced);

sale::promise order_of(std::int64_t buyer, std::uint64_t number, std::uint32_t quantity = 1) {
    return {.order = {number}, .sale = {1}, .buyer = {buyer}, .quantity = quantity};
}

class RedisTurnstileTest : public testing::Test {
protected:
    void SetUp() override {
        FLOODGATE_NEED_REDIS(false);
        world_ = std::make_unique<redis_world>(store::shared_redis(false));
        lane_ = gate().open_lane([] {});
    }
    redis_turnstile& gate() { return world_->redis_gate(); }
    answer ask_one(std::int64_t buyer, sale::idempotency_key key = {}) {
        return ask(*lane_, {{.sale = {1}, .buyer = {buyer}, .key = key}})[0].what;
    }
    void warm_up(const sale::sale& s) { ASSERT_TRUE(gate().warm_up(s).has_value()); }

    static constexpr sale::partition home{1};  // of sale 1 among 8
    std::unique_ptr<redis_world> world_;
    std::unique_ptr<lane> lane_;
};

TEST_F(RedisTurnstileTest, IsRebuiltUnderANewEpoch) {
    warm_up(open_sale(1, 3));
    EXPECT_EQ(ask_one(1), answer::accepted);
    ASSERT_TRUE(gate().begin(home, 2).has_value());
    EXPECT_EQ(ask_one(2), answer::busy);
    EXPECT_FALSE(gate().look_up({1}).has_value()) << "half a rebuild is no standing";
    EXPECT_EQ(world_->line().size(), 1U) << "promises are never thrown away";
    ASSERT_TRUE(gate().load(2, open_sale(1, 3)).has_value());
    sale::promise spent = order_of(9, 90);
    spent.key = key_number(9);
    const std::vector held{order_of(5, 50), order_of(6, 60)};
    ASSERT_TRUE(gate().put_down(home, 2, held).has_value());
    ASSERT_TRUE(gate().put_down(home, 2, held).has_value()) << "twice is harmless";
    ASSERT_TRUE(gate().put_down_keys(home, 2, {&spent, 1}).has_value());
    EXPECT_EQ(ask_one(2), answer::busy);
    ASSERT_TRUE(gate().open(home, 2).has_value());
    EXPECT_EQ(gate().look_up({1})->taken, 2);
    EXPECT_EQ(ask_one(5), answer::already_ordered);
    EXPECT_EQ(ask_one(9, key_number(9)), answer::repeated);
    EXPECT_EQ(ask_one(1), answer::accepted) << "what the ledger does not hold is forgotten";
    EXPECT_EQ(ask_one(2), answer::sold_out);
    const auto state = gate().state_of(home);
    EXPECT_EQ(state->epoch, 2U);
    EXPECT_TRUE(state->open);
    EXPECT_EQ(state->appended, 1U);
}

TEST_F(RedisTurnstileTest, RefusesEverythingOfAnOlderEpoch) {
    warm_up(open_sale(1, 3));
    ASSERT_TRUE(gate().begin(home, 5).has_value());
    const std::vector held{order_of(5, 50)};
    EXPECT_EQ(gate().begin(home, 4).error(), fenced);
    EXPECT_EQ(gate().load(4, open_sale(1, 3)).error(), fenced);
    EXPECT_EQ(gate().put_down(home, 4, held).error(), fenced);
    EXPECT_EQ(gate().put_down_keys(home, 4, held).error(), fenced);
    EXPECT_EQ(gate().open(home, 4).error(), fenced);
    EXPECT_EQ(gate().put_down(home, 5, held).error(), make_error_code(errc::not_found))
        << "its sale is not loaded";
    ASSERT_TRUE(gate().begin(home, 5).has_value()) << "its own keeper may begin again";
    ASSERT_TRUE(gate().load(5, open_sale(1, 3)).has_value());
    ASSERT_TRUE(gate().open(home, 5).has_value());
    EXPECT_EQ(gate().begin(home, 5).error(), fenced) << "somebody may have bought under it";
    EXPECT_EQ(gate().put_down(home, 5, held).error(), fenced);
    EXPECT_EQ(ask_one(1), answer::accepted);
}

TEST_F(RedisTurnstileTest, LeavesOutWhatIsReleasedWhileItIsRebuilt) {
    ASSERT_TRUE(gate().begin(home, 2).has_value());
    ASSERT_TRUE(gate().load(2, open_sale(1, 5)).has_value());
    sale::promise before = order_of(5, 50);
    before.key = key_number(5);
    const std::vector held{before, order_of(6, 60), order_of(7, 70)};
    gate().release({1}, {5}, {50});  // before it is put down
    ASSERT_TRUE(gate().put_down(home, 2, held).has_value());
    gate().release({1}, {6}, {60});  // after
    ASSERT_TRUE(gate().put_down(home, 2, held).has_value());
    ASSERT_TRUE(gate().open(home, 2).has_value());
    EXPECT_EQ(gate().held_in({1}), (std::vector<held_unit>{{{7}, {70}, 1}}));
    EXPECT_EQ(gate().look_up({1})->taken, 1);
    EXPECT_EQ(ask_one(5, key_number(5)), answer::repeated) << "its key is remembered all the same";
    gate().release({1}, {7}, {70});
    EXPECT_EQ(gate().look_up({1})->taken, 0);
}

// The rebuild may have read the stock before the withdrawal, and the order too.
TEST_F(RedisTurnstileTest, ReleasesWithdrawnUnitsWhenItIsRebuilt) {
    ASSERT_TRUE(gate().begin(home, 2).has_value());
    sale::sale s = open_sale(1, 3);
    s.revision = 1;
    const std::vector<turnstile::returned> back{
        {.sale = {1}, .buyer = {5}, .order = {50}, .wait = {}, .withdrawn_at = 2},
        {.sale = {1}, .buyer = {6}, .order = {60}, .wait = {}, .withdrawn_at = 2},
        {.sale = {1}, .buyer = {7}, .order = {70}}};
    gate().release_all(back);
    ASSERT_TRUE(gate().load(2, s).has_value());
    const std::vector held{order_of(5, 50), order_of(6, 60), order_of(7, 70)};
    ASSERT_TRUE(gate().put_down(home, 2, held).has_value());
    EXPECT_EQ(gate().read_counts().to_release, 2U);
    ASSERT_TRUE(gate().open(home, 2).has_value());
    EXPECT_EQ(ask_one(8), answer::accepted) << "the one unit that was not withdrawn";
    EXPECT_EQ(ask_one(9), answer::sold_out);
    EXPECT_TRUE(eventually([&] { return gate().read_counts().to_release == 0; }));
    EXPECT_EQ(gate().look_up({1})->stock, 1);
    EXPECT_EQ(gate().look_up({1})->taken, 1);
    EXPECT_EQ(ask_one(9), answer::sold_out);
}

TEST_F(RedisTurnstileTest, DoesNotKeepOtherReleasesWaitingForAPartitionThatIsClosed) {
    warm_up(open_sale(1, 1));
    warm_up(open_sale(2, 1));
    const auto v = ask(*lane_, {{.sale = {2}, .buyer = {5}}})[0];
    ASSERT_TRUE(gate().close(home).has_value());
    gate().release({.sale = {1}, .buyer = {5}, .order = {50}, .wait = {}, .withdrawn_at = 2});
    ASSERT_TRUE(gate().close({2}).has_value());
    gate().release({.sale = {2}, .buyer = {5}, .order = v.order, .wait = {}, .withdrawn_at = 2});
    EXPECT_EQ(gate().read_counts().to_release, 2U);
    ASSERT_TRUE(gate().open({2}, 1).has_value());
    EXPECT_TRUE(eventually([&] { return gate().look_up({2})->stock == 0; }));
    EXPECT_TRUE(eventually([&] { return gate().read_counts().to_release == 1; }))
        << "that of the closed partition";
}

// A sold-out sale is judged from memory. That copy was kept after a withdrawal, because no unit had
// become free, and the buyer heard "already ordered" of an order that was refunded.
TEST_F(RedisTurnstileTest, DoesNotRepeatFromMemoryWhatAWithdrawalHasChanged) {
    warm_up(open_sale(1, 1));
    const auto order = ask(*lane_, attempts_of(1, 1))[0].order;
    EXPECT_TRUE(eventually([&] {
        EXPECT_EQ(ask_one(1), answer::already_ordered);
        EXPECT_EQ(ask_one(2), answer::sold_out);
        return gate().read_counts().cached_refusals > 1;
    }));
    gate().release({.sale = {1}, .buyer = {1}, .order = order, .wait = {}, .withdrawn_at = 2});
    EXPECT_EQ(ask_one(1), answer::sold_out);
    EXPECT_EQ(world_->lifted, 1) << "other nodes have such a memory too";
}

TEST_F(RedisTurnstileTest, SellsWhatIsFreeWhenUnitsOfASmallerStockAreWithdrawn) {
    sale::sale s = open_sale(1, 3);
    s.revision = 1;
    warm_up(s);
    std::vector<sale::order_no> orders;
    for (const auto& v : ask(*lane_, attempts_of(1, 2))) orders.push_back(v.order);
    gate().release({.sale = {1}, .buyer = {1}, .order = orders[0], .wait = {}, .withdrawn_at = 2});
    s.revision = 3;
    s.stock = 1;
    warm_up(s);
    EXPECT_EQ(ask_one(3), answer::sold_out);
    gate().release({.sale = {1}, .buyer = {2}, .order = orders[1], .wait = {}, .withdrawn_at = 3});
    // The stock was smaller already, so another unit is free now.
    EXPECT_EQ(ask_one(3), answer::accepted);
}

TEST_F(RedisTurnstileTest, IsRebuiltWithTheBuyersWhoHaveToWait) {
    const instant until = opening + milliseconds(2000);
    ASSERT_TRUE(gate().begin(home, 2).has_value());
    gate().release({{1}, {8}, {80}, {opening, until}});  // before the sale is loaded
    ASSERT_TRUE(gate().load(2, open_sale(1, 5000)).has_value());
    std::vector<cooling_buyer> cooling{{{7}, until + milliseconds(5)}};
    for (std::int64_t b = 1000; b < 2300; ++b) cooling.push_back({{b}, until});
    EXPECT_EQ(gate().put_down_cooling(1, {1}, opening, cooling).error(), fenced);
    EXPECT_EQ(gate().put_down_cooling(2, {9}, opening, cooling).error(),
              make_error_code(errc::not_found))
        << "that sale is not loaded";
    ASSERT_TRUE(gate().put_down_cooling(2, {1}, opening, cooling).has_value());
    gate().release({{1}, {9}, {90}, {opening, until}});  // after
    ASSERT_TRUE(gate().open(home, 2).has_value());
    EXPECT_EQ(ask(*lane_, attempts_of(7, 7))[0].cool_until, until + milliseconds(5));
    EXPECT_EQ(ask_one(8), answer::cooling_down);
    EXPECT_EQ(ask_one(9), answer::cooling_down);
    EXPECT_EQ(count(ask(*lane_, attempts_of(1000, 2299)), answer::cooling_down), 1300U);
    EXPECT_EQ(ask_one(6), answer::accepted);
}

TEST_F(RedisTurnstileTest, KnowsOfABuyerWhoHasToWaitThoughNoneWasPutDown) {
    ASSERT_TRUE(gate().begin(home, 2).has_value());
    gate().release({{1}, {8}, {80}, {opening, opening + milliseconds(2000)}});
    ASSERT_TRUE(gate().load(2, open_sale(1, 5)).has_value());
    ASSERT_TRUE(gate().put_down_cooling(2, {1}, opening, {}).has_value());
    ASSERT_TRUE(gate().open(home, 2).has_value());
    EXPECT_EQ(ask_one(8), answer::cooling_down);
}

TEST_F(RedisTurnstileTest, ForgetsThoseWhoHaveWaited) {
    warm_up(open_sale(1, 5000));
    const std::string key = world_->key(home, "cooling:1");
    for (int i = 1; i <= 200; ++i) {
        const instant from = opening + milliseconds(i * 10);
        gate().release({{1}, {i}, {1}, {from, from + milliseconds(100)}});
    }
    EXPECT_LE(world_->redis().ask(key, {"ZCARD", key})->integer, 10) << "swept out by the others";
    EXPECT_GT(world_->redis().ask(key, {"PTTL", key})->integer, 0) << "and the last ones in time";
}

TEST_F(RedisTurnstileTest, NamesTheLatestOrderAfterARebuild) {
    ASSERT_TRUE(gate().begin(home, 2).has_value());
    ASSERT_TRUE(gate().load(2, open_sale(1, 5, 2)).has_value());
    const std::vector held{order_of(5, 60), order_of(5, 50)};
    ASSERT_TRUE(gate().put_down(home, 2, held).has_value());
    ASSERT_TRUE(gate().open(home, 2).has_value());
    EXPECT_EQ(ask(*lane_, attempts_of(5, 5))[0].order, sale::order_no{60});
}

TEST_F(RedisTurnstileTest, PutsManyOrdersDown) {
    ASSERT_TRUE(gate().begin(home, 2).has_value());
    ASSERT_TRUE(gate().load(2, open_sale(1, 5000, 2)).has_value());
    ASSERT_TRUE(gate().load(2, open_sale(9, 5000)).has_value());
    std::vector<sale::promise> held;
    for (std::int64_t b = 1300; b >= 1; --b) {
        held.push_back(order_of(b, static_cast<std::uint64_t>(b) * 10, 2));
        if (b % 2 == 0) held.back().sale = {9};
    }
    ASSERT_TRUE(gate().put_down(home, 2, held).has_value());
    ASSERT_TRUE(gate().open(home, 2).has_value());
    EXPECT_EQ(gate().look_up({1})->taken, 1300);
    EXPECT_EQ(gate().look_up({9})->buyers, 650U);
    EXPECT_EQ(gate().look_up({9})->largest, 2U);
}

TEST_F(RedisTurnstileTest, IsBusyWhileNothingIsWarmedAndAfterAFlush) {
    warm_up(open_sale(1, 3));
    EXPECT_EQ(ask_one(1), answer::accepted);
    ASSERT_TRUE(world_->redis().ask(world_->key(home, "gate"), {"DEL", world_->key(home, "gate")}));
    EXPECT_EQ(ask_one(2), answer::busy);
    EXPECT_FALSE(gate().look_up({1}).has_value());
    EXPECT_EQ(gate().state_of(home)->epoch, 0U);
    EXPECT_TRUE(gate().warm_up(open_sale(1, 3)).has_value()) << "its rebuild will load it";
    EXPECT_TRUE(gate().close(home).has_value());
    EXPECT_EQ(ask_one(2), answer::busy);
    EXPECT_EQ(gate().retake(order_of(1, 10)).error(), make_error_code(errc::store_unavailable));
}

TEST_F(RedisTurnstileTest, ClosesAndIsNotOpenedByAWarmUp) {
    warm_up(open_sale(1, 3));
    ASSERT_TRUE(gate().close(home).has_value());
    warm_up(open_sale(1, 3));
    EXPECT_EQ(ask_one(1), answer::busy);
    EXPECT_FALSE(gate().state_of(home)->open);
}

TEST_F(RedisTurnstileTest, ClosesItselfWhenItsLineIsAheadOfIt) {
    warm_up(open_sale(1, 3));
    const std::string line = world_->key(home, "line");
    ASSERT_TRUE(world_->redis().ask(line, {"XADD", line, "1-100", "p", "from another time"}));
    EXPECT_EQ(ask_one(1), answer::busy);
    EXPECT_FALSE(gate().state_of(home)->open) << "to be rebuilt";
    EXPECT_EQ(gate().held_in({1}).size(), 0U) << "and nothing was taken";
}

TEST_F(RedisTurnstileTest, ClosesItselfWhenItHasGoneBackInTime) {
    warm_up(open_sale(1, 10));
    EXPECT_EQ(ask_one(1), answer::accepted);
    // Redis as it was before, like an older snapshot or a replica that missed the second promise.
    std::map<std::string, std::string> snapshot;
    for (const char* what : {"gate", "line", "sale:1", "buyers:1"}) {
        const std::string key = world_->key(home, what);
        snapshot[key] = world_->redis().ask(key, {"DUMP", key})->text;
    }
    EXPECT_EQ(ask_one(2), answer::accepted);
    for (const auto& [key, bytes] : snapshot)
        ASSERT_TRUE(world_->redis().ask(key, {"RESTORE", key, "0", bytes, "REPLACE"}));
    EXPECT_EQ(ask_one(3), answer::busy);
    EXPECT_FALSE(gate().state_of(home)->open) << "to be rebuilt";
    EXPECT_EQ(world_->line().size(), 1U);
    ASSERT_TRUE(gate().begin(home, 2).has_value());
    ASSERT_TRUE(gate().load(2, open_sale(1, 10)).has_value());
    ASSERT_TRUE(gate().open(home, 2).has_value());
    EXPECT_EQ(ask_one(3), answer::accepted);
}

TEST_F(RedisTurnstileTest, IsBusyPastTheBacklogUntilPromisesAreEntered) {
    redis_turnstile_options few;
    few.backlog_max = 3;
    redis_world small(store::shared_redis(false), few);
    ASSERT_TRUE(small.gate().warm_up(open_sale(1, 5)).has_value());
    const auto way = small.gate().open_lane([] {});
    auto told = ask(*way, attempts_of(1, 6));
    EXPECT_EQ(count(told, answer::accepted), 3U);
    EXPECT_EQ(count(told, answer::busy), 3U);
    EXPECT_EQ(ask(*way, attempts_of(1, 1))[0].what, answer::already_ordered)
        << "refusals stay truthful";
    const std::string gate_key = small.key(home, "gate");
    ASSERT_TRUE(small.redis().ask(gate_key, {"HSET", gate_key, "entered", "2"}));
    EXPECT_EQ(count(ask(*way, attempts_of(4, 6)), answer::accepted), 2U);
}

class KeyClaimsTest : public RedisTurnstileTest {
protected:
    void SetUp() override {
        RedisTurnstileTest::SetUp();
        if (!world_) return;
        warm_up(open_sale(1, 5));
        warm_up(open_sale(2, 5));
    }
    answer ask_for(std::int64_t sale, int key, lane& way) {
        return ask(way, {{.sale = {sale}, .buyer = {7}, .key = key_number(key)}})[0].what;
    }
    std::string intent(int key) const {
        return gate_keys(world_->options().name, world_->options().partitions)
            .intent(key_number(key));
    }
    milliseconds left(int key) {
        return milliseconds(world_->redis().ask(intent(key), {"PTTL", intent(key)})->integer);
    }
};

TEST_F(KeyClaimsTest, KeepsTheKeyOfAnOrderLongerThanThatOfARefusal) {
    const auto& o = world_->options();
    EXPECT_EQ(ask_for(1, 1, *lane_), answer::accepted);
    EXPECT_TRUE(eventually([&] {
        std::vector<sale::verdict> none;
        lane_->collect(none);
        return left(1) > o.key_claimed_for;
    }));
    EXPECT_LE(left(1), o.key_kept_for);
    EXPECT_EQ(ask_for(1, 2, *lane_), answer::already_ordered);
    EXPECT_EQ(ask_for(99, 3, *lane_), answer::unknown_sale);
    for (const int refused : {2, 3}) {
        EXPECT_GT(left(refused), milliseconds(0));
        EXPECT_LE(left(refused), o.key_claimed_for);
    }
    EXPECT_EQ(ask_for(2, 2, *lane_), answer::key_reused) << "another attempt may be on its way";
}

TEST_F(KeyClaimsTest, LetsAKeyGoThatLedToNoOrder) {
    redis_turnstile_options quick = world_->options();
    quick.key_claimed_for = milliseconds(100);
    redis_turnstile other(world_->redis(), quick, nullptr);
    const auto way = other.open_lane([] {});
    EXPECT_EQ(ask_for(99, 1, *way), answer::unknown_sale);
    EXPECT_TRUE(eventually([&] { return ask_for(2, 1, *way) == answer::accepted; }));
}

TEST_F(KeyClaimsTest, KnowsWhichSaleAKeyIsForAfterARebuild) {
    EXPECT_EQ(ask_for(1, 1, *lane_), answer::accepted);
    const sale::promise made = world_->line()[0];
    sale::promise closed = order_of(8, 80);
    closed.key = key_number(2);
    ASSERT_TRUE(world_->redis().ask(intent(1), {"DEL", intent(1)}));
    ASSERT_TRUE(gate().begin(home, 2).has_value());
    ASSERT_TRUE(gate().load(2, open_sale(1, 5)).has_value());
    ASSERT_TRUE(gate().put_down(home, 2, {&made, 1}).has_value());
    ASSERT_TRUE(gate().put_down_keys(home, 2, {&closed, 1}).has_value());
    ASSERT_TRUE(gate().open(home, 2).has_value());
    for (const int key : {1, 2}) {
        EXPECT_EQ(ask_for(2, key, *lane_), answer::key_reused) << key;
        EXPECT_GT(left(key), world_->options().key_claimed_for);
    }
}

TEST_F(RedisTurnstileTest, TellsWhenUnitsCameBack) {
    warm_up(open_sale(1, 3));
    const auto v = ask(*lane_, attempts_of(1, 1))[0];
    gate().release({1}, {1}, v.order);
    gate().release({1}, {1}, v.order);
    EXPECT_EQ(world_->lifted, 1);
}

TEST_F(RedisTurnstileTest, AnswersAQuickCrowdInBatches) {
    warm_up(open_sale(1, 10'000));
    const auto told = ask(*lane_, attempts_of(1, 3000));
    EXPECT_EQ(count(told, answer::accepted), 3000U);
    EXPECT_LE(gate().read_counts().calls, 10U);
    EXPECT_EQ(world_->line().size(), 3000U);
}

TEST_F(RedisTurnstileTest, BoundsWhatWaits) {
    redis_turnstile_options few;
    few.waiting_max = 100;
    redis_world small(store::shared_redis(false), few);
    ASSERT_TRUE(small.gate().warm_up(open_sale(1, 500)).has_value());
    const auto way = small.gate().open_lane([] {});
    const auto told = ask(*way, attempts_of(1, 300));
    EXPECT_EQ(count(told, answer::accepted), 100U);
    EXPECT_EQ(count(told, answer::busy), 200U);
}

}  // namespace
}  // namespace floodgate::gate
