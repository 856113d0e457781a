#include "gate/refusal_cache.hpp"

#include "gate/turnstile_fixture.hpp"

namespace floodgate::gate {
namespace {

using sale::answer;

class ReflectionsTest : public testing::Test {
protected:
    void SetUp() override {
        FLOODGATE_NEED_REDIS(false);
        world_ = std::make_unique<redis_world>(store::shared_redis(false),
                                               redis_turnstile_options{}, clock_);
        lane_ = gate().open_lane([] {});
    }
    redis_turnstile& gate() { return world_->redis_gate(); }
    void warm_up(const sale::sale& s) { ASSERT_TRUE(gate().warm_up(s).has_value()); }
    sale::verdict ask_one(std::int64_t buyer, std::uint32_t quantity = 1,
                          sale::idempotency_key key = {}, instant now = opening) {
        return ask(*lane_, {{.sale = {1}, .buyer = {buyer}, .quantity = quantity, .key = key}},
                   now)[0];
    }
    std::uint64_t cached_refusals() { return gate().read_counts().cached_refusals; }
    // Repeats the attempt until the answer comes from the cache.
    bool becomes_cached(std::int64_t buyer, instant now = opening) {
        const std::uint64_t before = cached_refusals();
        return eventually([&] {
            ask_one(buyer, 1, {}, now);
            clock_.advance(milliseconds(1));
            return cached_refusals() > before;
        });
    }
    void grow_old() { clock_.advance(world_->options().refusal_max_age); }
    // Another node, which sends no message to this one.
    std::unique_ptr<redis_turnstile> other_node() {
        return std::make_unique<redis_turnstile>(world_->redis(), world_->options(), nullptr);
    }

    manual_monotonic_clock clock_;
    std::unique_ptr<redis_world> world_;
    std::unique_ptr<lane> lane_;
};

TEST_F(ReflectionsTest, RepeatSoldOutWithoutAskingAndKnowWhoHasBought) {
    warm_up(open_sale(1, 2));
    const auto mine = ask_one(1);
    ask_one(2);
    ASSERT_TRUE(becomes_cached(3));
    EXPECT_EQ(ask_one(3).what, answer::sold_out);
    const auto again = ask_one(1);
    EXPECT_EQ(again.what, answer::already_ordered);
    EXPECT_EQ(again.order, mine.order);
    const std::uint64_t calls = gate().read_counts().calls;
    ask_one(4);
    EXPECT_EQ(gate().read_counts().calls, calls) << "Redis was not asked";
}

TEST_F(ReflectionsTest, AreLiftedAtOnceWhenUnitsComeBackHere) {
    warm_up(open_sale(1, 1));
    const auto mine = ask_one(1);
    ASSERT_TRUE(becomes_cached(3));
    gate().release({1}, {1}, mine.order);
    EXPECT_EQ(ask_one(3).what, answer::accepted);
}

TEST_F(ReflectionsTest, KnowWhoHasToWait) {
    const instant until = opening + milliseconds(30'000);
    warm_up(open_sale(1, 1));
    const auto mine = ask_one(1);
    gate().release({{1}, {1}, mine.order, {opening, until}});
    ASSERT_EQ(ask_one(2).what, answer::accepted);
    ASSERT_TRUE(becomes_cached(3));
    EXPECT_EQ(ask_one(3).what, answer::sold_out);
    const std::uint64_t calls = gate().read_counts().calls;
    const auto told = ask_one(1);
    EXPECT_EQ(told.what, answer::cooling_down);
    EXPECT_EQ(told.cool_until, until);
    EXPECT_EQ(ask_one(1, 1, {}, until).what, answer::sold_out);
    EXPECT_EQ(gate().read_counts().calls, calls) << "Redis was not asked";
}

TEST_F(ReflectionsTest, AreForgottenWhenABuyerHasToWaitThoughNothingCameBack) {
    warm_up(open_sale(1, 1));
    ASSERT_EQ(ask_one(2).what, answer::accepted);
    ASSERT_TRUE(becomes_cached(3));
    other_node()->release({{1}, {1}, {77}, {opening, opening + milliseconds(30'000)}});
    EXPECT_TRUE(eventually([&] { return ask_one(1).what == answer::cooling_down; }));
}

TEST_F(ReflectionsTest, AreLiftedByAMessageFromAnotherNode) {
    warm_up(open_sale(1, 1));
    const auto mine = ask_one(1);
    ASSERT_TRUE(becomes_cached(3));
    other_node()->release({1}, {1}, mine.order);
    gate().lift({1});
    EXPECT_EQ(ask_one(3).what, answer::accepted);
}

TEST_F(ReflectionsTest, AreForgottenSoonWhenTheMessageIsLost) {
    warm_up(open_sale(1, 1));
    const auto mine = ask_one(1);
    ASSERT_TRUE(becomes_cached(3));
    other_node()->release({1}, {1}, mine.order);
    grow_old();
    EXPECT_EQ(ask_one(3).what, answer::accepted) << "Redis is asked again";
}

TEST_F(ReflectionsTest, ForgetWhatAnotherNodeChanged) {
    sale::sale s = open_sale(1, 5);
    s.state = sale::sale_state::paused;
    warm_up(s);
    ASSERT_TRUE(becomes_cached(3));
    s.state = sale::sale_state::published;
    ASSERT_TRUE(other_node()->warm_up(s).has_value());
    EXPECT_TRUE(eventually([&] { return ask_one(3).what == answer::accepted; }))
        << "it is looked at again before it has grown old";
}

TEST_F(ReflectionsTest, OpenOnTimeWithoutBeingTold) {
    warm_up(open_sale(1, 5));
    const instant early = opening - milliseconds(1);
    ASSERT_TRUE(becomes_cached(3, early));
    const auto v = ask_one(3, 1, {}, early);
    EXPECT_EQ(v.what, answer::not_started);
    EXPECT_EQ(v.starts_at, opening);
    EXPECT_EQ(ask_one(3).what, answer::accepted);
}

TEST_F(ReflectionsTest, NeverAnswerAnAttemptWithAKey) {
    warm_up(open_sale(1, 1));
    const auto mine = ask_one(1, 1, key_number(1));
    ASSERT_TRUE(becomes_cached(3));
    const auto again = ask_one(1, 1, key_number(1));
    EXPECT_EQ(again.what, answer::repeated);
    EXPECT_EQ(again.order, mine.order);
}

TEST_F(ReflectionsTest, DoNotHideUnitsFromABuyerWhoMayHaveThem) {
    warm_up(open_sale(1, 3, 2));
    ASSERT_TRUE(eventually([&] {
        EXPECT_EQ(ask_one(2, 3).what, answer::over_limit);
        clock_.advance(milliseconds(1));
        return cached_refusals() > 0;
    })) << "by the terms alone: its buyers are not known here";
    EXPECT_EQ(ask_one(5, 2).what, answer::accepted);
    EXPECT_EQ(ask_one(5).what, answer::already_ordered);
    EXPECT_EQ(ask_one(6, 2).what, answer::not_enough);
    EXPECT_EQ(ask_one(6).what, answer::accepted);
}

TEST_F(ReflectionsTest, GrowOldWhenRedisDoesNotAnswer) {
    store::own_redis server;
    redis_turnstile_options options;
    options.answer_within = milliseconds(2000);
    world_ = std::make_unique<redis_world>(server.options(), options, clock_);
    warm_up(open_sale(1, 0));
    lane_ = gate().open_lane([] {});
    ASSERT_TRUE(becomes_cached(3));
    EXPECT_EQ(ask_one(3).what, answer::sold_out);
    server.freeze();
    EXPECT_EQ(ask_one(3).what, answer::sold_out) << "known well enough for a moment";
    grow_old();
    EXPECT_EQ(ask_one(3).what, answer::undecided) << "Redis was asked again";
    server.thaw();
    lane_.reset();
    world_.reset();
}

}  // namespace
}  // namespace floodgate::gate
