#include "queue/reminders.hpp"

#include "queue/queue_fixture.hpp"

namespace floodgate::queue {
namespace {

class RemindersTest : public testing::Test {
protected:
    using steady = std::chrono::steady_clock;

    void SetUp() override {
        if (shared_rabbit().addresses.empty())
            GTEST_SKIP() << "FLOODGATE_TEST_RABBITMQ is not set: scripts/test starts one";
        hand_ = std::make_unique<store::rabbit>(shared_rabbit());
    }
    void TearDown() override {
        if (!hand_) return;
        std::vector<std::string> names;
        for (int s = 1; s <= 20; ++s) names.push_back(name_ + ".delay." + std::to_string(s * 1000));
        for (const std::string& queue : names)
            if (hand_->open()) (void)hand_->delete_queue(queue);
        if (hand_->open()) (void)hand_->delete_exchange(name_ + ".due");
    }
    std::unique_ptr<reminders> open(std::size_t delays_max = 64,
                                    const monotonic_clock& clock = machine_time) {
        auto r = std::make_unique<reminders>(
            shared_rabbit(), name_,
            [this] {
                const std::lock_guard lock(mutex_);
                heard_.push_back(steady::now());
            },
            reminders_options{.delays_max = delays_max}, clock);
        r->start();
        EXPECT_TRUE(eventually([&] { return r->read_figures().connected; }));
        return r;
    }
    std::vector<steady::time_point> heard() {
        const std::lock_guard lock(mutex_);
        return heard_;
    }

    const std::string name_ = store::random_name("remind");
    std::unique_ptr<store::rabbit> hand_;
    std::mutex mutex_;
    std::vector<steady::time_point> heard_;
};

TEST_F(RemindersTest, ComeAfterTheirDelayTheShorterOneFirst) {
    const auto r = open();
    const auto began = steady::now();
    r->remind(2500ms);
    r->remind(900ms);
    ASSERT_TRUE(eventually([&] { return heard().size() == 2; }));
    const auto times = heard();
    EXPECT_GE(times[0] - began, 1s);
    EXPECT_GE(times[1] - began, 3s);
    EXPECT_EQ(r->read_figures().sent, 2U);
}

TEST_F(RemindersTest, ThoseOfOneDelayThatComeCloseTogetherAreOne) {
    manual_monotonic_clock clock;
    const auto r = open(64, clock);
    const auto sent = [&] { return r->read_figures().sent; };
    r->remind(10s);
    ASSERT_TRUE(eventually([&] { return sent() == 1; }));
    for (int i = 0; i < 1000; ++i) r->remind(10s);
    r->remind(20s);
    ASSERT_TRUE(eventually([&] { return sent() == 2; })) << "another delay is not held back";
    clock.advance(reminders_options{}.together);
    EXPECT_TRUE(eventually([&] { return sent() == 3; })) << "the last call has its reminder too";
    r->remind(20s);
    ASSERT_TRUE(eventually([&] { return sent() == 4; }));
    EXPECT_EQ(sent(), 4U) << "a thousand calls were one reminder";
}

TEST_F(RemindersTest, EachDelayHasAQueueUpToALimit) {
    const auto r = open(2);
    r->remind(10s);
    r->remind(20s);
    r->remind(12s);
    r->remind(30s);
    EXPECT_TRUE(eventually([&] { return r->read_figures().sent >= 2; }));
    EXPECT_EQ(r->read_figures().dropped, 1U) << "none of the two is as long as 30 s";
    ASSERT_TRUE(hand_->open());
    EXPECT_TRUE(hand_->look_at_queue(name_ + ".delay.10000"));
    EXPECT_TRUE(hand_->look_at_queue(name_ + ".delay.20000"));
    EXPECT_FALSE(hand_->look_at_queue(name_ + ".delay.12000"));
}

TEST_F(RemindersTest, EveryNodeIsTold) {
    const auto here = open();
    const auto there = open();
    there->remind(1s);
    EXPECT_TRUE(eventually([&] { return here->read_figures().due == 1; }));
    EXPECT_TRUE(eventually([&] { return there->read_figures().due == 1; }));
}

TEST(Reminders, WithoutRabbitNobodyWaits) {
    reminders r(store::rabbit_options{.addresses = {"127.0.0.1:1"}}, "none", [] {});
    r.start();
    const auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < 1000; ++i) r.remind(milliseconds(i * 1000));
    r.stop();
    EXPECT_LT(std::chrono::steady_clock::now() - began, 20s);
}

}  // namespace
}  // namespace floodgate::queue
