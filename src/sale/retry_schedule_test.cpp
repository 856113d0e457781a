#include "sale/retry_schedule.hpp"

#include <gtest/gtest.h>

namespace floodgate::sale {
namespace {

using namespace std::chrono_literals;

const instant noon = from_ms(1'800'000'000'000);

TEST(Ladder, UsuallyHasSixteenStepsFromTenSecondsToTwoHours) {
    const retry_schedule usual;
    ASSERT_EQ(usual.steps.size(), 16U);
    EXPECT_EQ(usual.steps.front(), 10s);
    EXPECT_EQ(usual.steps.back(), 2h);
    EXPECT_TRUE(std::is_sorted(usual.steps.begin(), usual.steps.end()));
}

TEST(Ladder, GoesUpAStepWithEachFailureAndEnds) {
    const retry_schedule two{{10s, 30s}};
    EXPECT_EQ(two.next_try(1, noon), noon + 10s);
    EXPECT_EQ(two.next_try(2, noon), noon + 30s);
    EXPECT_EQ(two.next_try(3, noon), std::nullopt);
    EXPECT_EQ(two.next_try(0, noon), std::nullopt) << "nothing has failed";
}

TEST(Ladder, IsReadFromTheConfiguration) {
    std::string why;
    const auto got = parse_steps({"500ms", "10s", "10s", "1m", "2h", "24h"}, why);
    ASSERT_TRUE(got) << why;
    EXPECT_EQ(got->steps, (std::vector<milliseconds>{500ms, 10s, 10s, 1min, 2h, 24h}));
}

TEST(Ladder, SaysWhatIsWrongWithTheConfiguration) {
    struct row {
        std::vector<std::string> steps;
        std::string why;
    };
    const std::string not_a_time = "\" is not a time such as 500ms, 10s, 5m or 2h";
    const row table[] = {
        {{}, "1 to 50 steps are allowed, not 0"},
        {std::vector<std::string>(51, "1s"), "1 to 50 steps are allowed, not 51"},
        {{"10"}, "\"10" + not_a_time},
        {{"s"}, "\"s" + not_a_time},
        {{""}, "\"" + not_a_time},
        {{"-1s"}, "\"-1s" + not_a_time},
        {{" 1s"}, "\" 1s" + not_a_time},
        {{"1 s"}, "\"1 s" + not_a_time},
        {{"1.5s"}, "\"1.5s" + not_a_time},
        {{"1d"}, "\"1d" + not_a_time},
        {{"99999999999h"}, "\"99999999999h" + not_a_time},
        {{"0s"}, "\"0s\" is no time at all"},
        {{"25h"}, "\"25h\" is longer than 24h"},
        {{"4294967295h"}, "\"4294967295h\" is longer than 24h"},
        {{"10s", "30s", "20s"}, "\"20s\" is shorter than the step before it"},
    };
    for (const row& r : table) {
        std::string why;
        EXPECT_FALSE(parse_steps(r.steps, why)) << r.why;
        EXPECT_EQ(why, r.why);
    }
}

}  // namespace
}  // namespace floodgate::sale
