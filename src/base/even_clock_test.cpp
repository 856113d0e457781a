#include "base/even_clock.hpp"

#include <gtest/gtest.h>

namespace floodgate {
namespace {

using namespace std::chrono_literals;

const instant noon = from_ms(1'800'000'000'000);
instant wall_now;
milliseconds uptime_now;

class EvenClockTest : public testing::Test {
protected:
    // Time passes for both, and the engine looks every half second.
    void pass(milliseconds time) {
        for (milliseconds gone{0}; gone < time; gone += 500ms) {
            wall_now += 500ms;
            uptime_now += 500ms;
            clock_.follow();
        }
    }

    const bool begun_ = [] {
        wall_now = noon;
        uptime_now = 5000ms;
        return true;
    }();
    even_clock clock_{{[] { return wall_now; }, [] { return uptime_now; }}};
};

TEST_F(EvenClockTest, GoesWithTheMachine) {
    EXPECT_EQ(clock_.now(), noon);
    pass(1500ms);
    EXPECT_EQ(clock_.now(), noon + 1500ms);
    EXPECT_EQ(clock_.apart(), 0ms);
}

TEST_F(EvenClockTest, FollowsASmallCorrectionInSmallSteps) {
    wall_now += 1000ms;
    clock_.follow();
    EXPECT_EQ(clock_.now(), noon + even_clock::step);
    EXPECT_FALSE(clock_.jumped());
    pass(60s);
    EXPECT_EQ(clock_.now(), wall_now);
}

TEST_F(EvenClockTest, FollowsBackwardsTooAndNeverByMoreThanAStep) {
    wall_now -= 1000ms;
    instant before = clock_.now();
    for (int i = 0; i < 100; ++i) {
        pass(500ms);
        EXPECT_GT(clock_.now(), before) << "half a second forward outweighs a step back";
        before = clock_.now();
    }
    EXPECT_EQ(clock_.now(), wall_now);
}

TEST_F(EvenClockTest, ADayForwardIsNotBelieved) {
    wall_now += 24h;
    pass(60s);
    EXPECT_EQ(clock_.now(), noon + 60s);
    EXPECT_TRUE(clock_.jumped());
    EXPECT_EQ(clock_.apart(), 24h);
}

TEST_F(EvenClockTest, ADayBackIsNotBelieved) {
    wall_now -= 24h;
    pass(60s);
    EXPECT_EQ(clock_.now(), noon + 60s);
    EXPECT_TRUE(clock_.jumped());
}

TEST_F(EvenClockTest, SettingItRightAgainEndsTheJump) {
    wall_now += 24h;
    pass(60s);
    wall_now -= 24h;
    pass(1s);
    EXPECT_FALSE(clock_.jumped());
    EXPECT_EQ(clock_.now(), wall_now);
}

TEST_F(EvenClockTest, ARestartTakesOverTheMachinesTime) {
    wall_now += 24h;
    const even_clock restarted({[] { return wall_now; }, [] { return uptime_now; }});
    EXPECT_EQ(restarted.now(), noon + 24h);
}

TEST(EvenClock, TheMachinesClockIsCloseToIt) {
    even_clock c;
    c.follow();
    EXPECT_FALSE(c.jumped());
}

}  // namespace
}  // namespace floodgate
