// The turnstile over a Redis that is killed, frozen, full, or loses an answer.

#include "gate/turnstile_fixture.hpp"
#include "store/redis/redis_relay.hpp"

namespace floodgate::gate {
namespace {

using sale::answer;
using std::chrono::steady_clock;

// Each test has a Redis of its own, so it may harm it.
class HarmedRedisTest : public testing::Test {
protected:
    HarmedRedisTest() {
        EXPECT_TRUE(gate().warm_up(open_sale(1, 1000, 2)).has_value());
        EXPECT_EQ(ask(*lane_, attempts_of(1, 1))[0].what, answer::accepted);
    }
    redis_turnstile& gate() { return world_.redis_gate(); }
    // Waits until the lane gets through again.
    bool recovers() {
        std::int64_t buyer = 900;
        return eventually([&] {
            return ask(*lane_, {{.sale = {1}, .buyer = {++buyer}}})[0].what == answer::accepted;
        });
    }
    static redis_turnstile_options quick() {
        redis_turnstile_options o;
        o.answer_within = milliseconds(2000);
        return o;
    }
    // A connection that cannot be made is given up before the attempt is.
    static store::redis_options shorter(store::redis_options o) {
        o.connect_timeout = o.command_timeout = milliseconds(1500);
        return o;
    }

    store::own_redis server_{{"--appendonly", "yes", "--appendfsync", "always"}};
    redis_world world_{shorter(server_.options()), quick()};
    std::unique_ptr<lane> lane_ = gate().open_lane([] {});
};

TEST_F(HarmedRedisTest, GoesOnAfterItWasKilledAndRestarted) {
    server_.kill();
    const auto before = steady_clock::now();
    EXPECT_EQ(ask(*lane_, attempts_of(2, 2))[0].what, answer::undecided)
        << "it went out on a connection that nobody knew to be dead";
    EXPECT_EQ(ask(*lane_, attempts_of(3, 3))[0].what, answer::busy);
    EXPECT_LT(steady_clock::now() - before, std::chrono::seconds(10));
    server_.start();
    EXPECT_TRUE(recovers());
    EXPECT_EQ(ask(*lane_, attempts_of(1, 1, 2))[0].what, answer::already_ordered)
        << "what was acknowledged is not lost";
}

// The call is executed after the time-out, and the number that the buyer was told then holds.
TEST_F(HarmedRedisTest, CallsUndecidedWhatItSentAndGotNoReplyTo) {
    server_.freeze();
    const auto before = steady_clock::now();
    const auto told = ask(*lane_, attempts_of(2, 100));
    EXPECT_EQ(count(told, answer::undecided), 99U);
    EXPECT_LT(steady_clock::now() - before, std::chrono::seconds(10));
    EXPECT_GE(gate().read_counts().unanswered, 99U);
    EXPECT_EQ(gate().read_counts().by_answer[static_cast<int>(answer::undecided)], 99U);
    server_.thaw();
    ASSERT_TRUE(recovers());
    const auto promised = gate().promised_to({2});
    ASSERT_EQ(promised.size(), 1U);
    EXPECT_EQ(promised[0].order, told[0].order);
    const auto again = ask(*lane_, attempts_of(2, 2, 2));
    EXPECT_EQ(again[0].what, answer::already_ordered);
    EXPECT_EQ(again[0].order, told[0].order) << "asking again settles it";
}

TEST_F(HarmedRedisTest, SaysBusyToThoseThatItDidNotSend) {
    server_.freeze();
    EXPECT_EQ(ask(*lane_, attempts_of(2, 2))[0].what, answer::undecided) << "on the connection";
    EXPECT_EQ(ask(*lane_, attempts_of(3, 3))[0].what, answer::busy) << "no new one can be made";
    // One attempt tries Redis; the others are answered at once.
    const auto probe = attempts_of(200, 200), others = attempts_of(201, 299);
    lane_->submit(probe, opening);
    const auto before = steady_clock::now();
    lane_->submit(others, opening);
    std::vector<sale::verdict> told;
    lane_->collect(told);
    EXPECT_EQ(count(told, answer::busy), 99U);
    EXPECT_LT(steady_clock::now() - before, milliseconds(1000)) << "less than answer_within";
    while (told.size() < 100) {
        pollfd watched{lane_->ready_fd(), POLLIN, 0};
        ASSERT_GT(::poll(&watched, 1, 20'000), 0);
        lane_->collect(told);
    }
    server_.thaw();
    EXPECT_TRUE(recovers());
    EXPECT_TRUE(gate().promised_to({3}).empty()) << "busy: certainly nothing was promised";
    EXPECT_TRUE(gate().promised_to({201}).empty());
}

// A key that may have been claimed means no promise, because the attempt was never judged.
TEST_F(HarmedRedisTest, SaysBusyWhenItDoesNotHearWhetherAKeyWasClaimed) {
    const sale::attempt keyed{.sale = {1}, .buyer = {2}, .key = key_number(2)};
    server_.freeze();
    EXPECT_EQ(ask(*lane_, {keyed})[0].what, answer::busy);
    server_.thaw();
    ASSERT_TRUE(recovers());
    EXPECT_TRUE(gate().promised_to({2}).empty());
    EXPECT_TRUE(eventually([&] { return ask(*lane_, {keyed})[0].what == answer::accepted; }))
        << "the claim, if it was executed, is this attempt's own";
    EXPECT_EQ(ask(*lane_, {keyed})[0].what, answer::repeated);
}

// The claim is executed and its reply is lost: the lane claims the key again for the same sale.
TEST_F(HarmedRedisTest, ClaimsAKeyOnceThoughTheAnswerWasLost) {
    store::redis_relay relay(server_.port());
    store::redis_options through = shorter(server_.options());
    through.addresses = {relay.address()};
    store::redis redis(through);
    redis_turnstile_options second = world_.options();
    second.node = 1;
    redis_turnstile other(redis, second, nullptr);
    const auto way = other.open_lane([] {});
    ASSERT_EQ(ask(*way, attempts_of(50, 50))[0].what, answer::accepted);
    relay.swallow_next_answer();
    const sale::attempt keyed{.sale = {1}, .buyer = {51}, .key = key_number(51)};
    EXPECT_EQ(ask(*way, {keyed})[0].what, answer::accepted);
    EXPECT_EQ(relay.swallowed(), 1);
    EXPECT_EQ(gate().promised_to({51}).size(), 1U);
}

// The first call may have been executed. That the second was not executed decides nothing.
TEST_F(HarmedRedisTest, CallsUndecidedWhatItCouldNotSendAgain) {
    store::redis_relay relay(server_.port());
    store::redis_options through = shorter(server_.options());
    through.addresses = {relay.address()};
    store::redis redis(through);
    redis_turnstile_options second = world_.options();
    second.node = 1;
    redis_turnstile other(redis, second, nullptr);
    const auto way = other.open_lane([] {});
    ASSERT_EQ(ask(*way, attempts_of(50, 50))[0].what, answer::accepted);
    relay.swallow_next_answer([&] { server_.kill(); });
    const auto told = ask(*way, attempts_of(51, 51));
    EXPECT_EQ(told[0].what, answer::undecided);
    EXPECT_GT(told[0].order.value, 0U);
    server_.start();
    ASSERT_TRUE(recovers());
    const auto promised = gate().promised_to({51});
    ASSERT_EQ(promised.size(), 1U) << "it was executed";
    EXPECT_EQ(promised[0].order, told[0].order);
}

// The call is executed and the connection breaks before the reply. The attempt is sent again under
// the same order number, also for the second unit of a buyer who may have two, and when no unit is
// left.
TEST_F(HarmedRedisTest, SellsOnceThoughTheAnswerWasLost) {
    store::redis_relay relay(server_.port());
    store::redis_options through = shorter(server_.options());
    through.addresses = {relay.address()};
    store::redis redis(through);
    redis_turnstile_options second = world_.options();
    second.node = 1;
    redis_turnstile other(redis, second, nullptr);
    const auto way = other.open_lane([] {});
    EXPECT_EQ(ask(*way, attempts_of(50, 50))[0].what, answer::accepted);
    const std::vector<sale::attempt> both{{.sale = {1}, .buyer = {50}},
                                          {.sale = {1}, .buyer = {51}, .quantity = 2},
                                          {.sale = {1}, .buyer = {52}, .key = key_number(52)}};
    relay.swallow_next_answer();
    const auto told = ask(*way, both);
    EXPECT_EQ(relay.swallowed(), 1);
    EXPECT_EQ(count(told, answer::accepted), 3U);
    EXPECT_EQ(gate().promised_to({50}).size(), 2U);
    EXPECT_EQ(gate().promised_to({51}).size(), 1U);
    EXPECT_EQ(gate().look_up({1})->taken, 6) << "with the one of the fixture";
    EXPECT_EQ(world_.line().size(), 5U);
    // The attempt for the last unit is sent twice, and the sale is paused before the second time.
    ASSERT_TRUE(gate().warm_up(open_sale(1, 7, 2)).has_value());
    relay.swallow_next_answer([&] {
        sale::sale s = open_sale(1, 7, 2);
        s.state = sale::sale_state::paused;
        EXPECT_TRUE(gate().warm_up(s).has_value());
    });
    const auto last = ask(*way, attempts_of(60, 60));
    EXPECT_EQ(relay.swallowed(), 2);
    EXPECT_EQ(last[0].what, answer::accepted);
    EXPECT_EQ(gate().promised_to({60})[0].order, last[0].order);
}

TEST_F(HarmedRedisTest, TakesUnitsBackWithoutMemory) {
    const auto held = gate().held_in({1});
    store::redis side(server_.options());
    ASSERT_TRUE(side.ask("", {"CONFIG", "SET", "maxmemory", "1"}).has_value());
    EXPECT_EQ(ask(*lane_, attempts_of(2, 2))[0].what, answer::busy);
    gate().release({1}, held.at(0).buyer, held.at(0).order);
    EXPECT_EQ(gate().look_up({1})->taken, 0);
    ASSERT_TRUE(side.ask("", {"CONFIG", "SET", "maxmemory", "0"}).has_value());
    EXPECT_EQ(ask(*lane_, attempts_of(2, 2))[0].what, answer::accepted);
}

TEST_F(HarmedRedisTest, SendsItsScriptAgainWhenTheServerForgotIt) {
    store::redis side(server_.options());
    ASSERT_TRUE(side.ask("", {"SCRIPT", "FLUSH"}).has_value());
    EXPECT_EQ(ask(*lane_, attempts_of(2, 2))[0].what, answer::accepted);
    EXPECT_EQ(gate().read_counts().unanswered, 0U);
}

TEST_F(HarmedRedisTest, KeepsWhatItCannotReleaseNowForLater) {
    const auto held = gate().held_in({1});
    ASSERT_EQ(held.size(), 1U);
    server_.kill();
    gate().release({1}, held[0].buyer, held[0].order);
    EXPECT_EQ(gate().read_counts().to_release, 1U);
    server_.start();
    EXPECT_TRUE(eventually([&] { return gate().read_counts().to_release == 0; }));
    EXPECT_TRUE(gate().held_in({1}).empty());
    EXPECT_EQ(world_.lifted, 1);
}

TEST_F(HarmedRedisTest, KeepsWhenUnitsWereWithdrawnThatItCannotReleaseNow) {
    const auto held = gate().held_in({1});
    ASSERT_EQ(held.size(), 1U);
    server_.kill();
    gate().release({.sale = {1},
                    .buyer = held[0].buyer,
                    .order = held[0].order,
                    .wait = {},
                    .withdrawn_at = 2});
    EXPECT_EQ(gate().read_counts().to_release, 1U);
    server_.start();
    EXPECT_TRUE(eventually([&] { return gate().read_counts().to_release == 0; }));
    EXPECT_EQ(gate().look_up({1})->taken, 0);
    EXPECT_EQ(gate().look_up({1})->stock, 999);
    EXPECT_EQ(world_.lifted, 1);
}

TEST(RedisFailover, FindsTheNewMaster) {
    store::own_redis first, second({"--replicaof", "127.0.0.1", std::to_string(first.port())});
    store::redis_options both = first.options();
    both.addresses = {first.address(), second.address()};
    redis_turnstile_options options;
    options.name = "fg-failover";
    redis_world world(both, options);
    ASSERT_TRUE(world.gate().warm_up(open_sale(1, 1000)).has_value());
    const auto way = world.gate().open_lane([] {});
    EXPECT_EQ(ask(*way, attempts_of(1, 1))[0].what, answer::accepted);
    store::redis to_first(first.options()), to_second(second.options());
    const auto replicated = [&] {
        const auto info = to_second.ask("", {"HGET", "fg-failover:{1}:gate", "seq"});
        return info && info->text == "1";
    };
    ASSERT_TRUE(eventually(replicated));
    ASSERT_TRUE(to_second.ask("", {"REPLICAOF", "NO", "ONE"}).has_value());
    ASSERT_TRUE(to_first.ask("", {"REPLICAOF", "127.0.0.1", std::to_string(second.port())}));
    std::int64_t buyer = 1;
    EXPECT_TRUE(eventually([&] {
        ++buyer;
        return ask(*way, attempts_of(buyer, buyer))[0].what == answer::accepted;
    })) << "READONLY sends it to the other one";
    EXPECT_EQ(ask(*way, attempts_of(1, 1))[0].what, answer::already_ordered);
}

}  // namespace
}  // namespace floodgate::gate
