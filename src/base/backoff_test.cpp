#include "base/backoff.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace floodgate {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

TEST(Backoff, DoublesFromTheFirstPauseToTheLast) {
    constexpr backoff pauses{.first = 50ms, .last = 1s};
    const std::vector<milliseconds> expected{0ms, 50ms, 100ms, 200ms, 400ms, 800ms, 1000ms, 1000ms};
    for (std::uint64_t failures = 0; failures < expected.size(); ++failures)
        EXPECT_EQ(pauses.after(failures), expected[failures]) << failures;
}

TEST(Backoff, AFirstPauseBeyondTheLastIsTheLast) {
    EXPECT_EQ((backoff{.first = 5s, .last = 1s}.after(1)), 1s);
}

TEST(Backoff, NeverOverflows) {
    constexpr std::uint64_t many = ~std::uint64_t{0};
    EXPECT_EQ((backoff{.first = 1ms, .last = milliseconds::max()}.after(many)),
              milliseconds::max());
    EXPECT_EQ((backoff{.first = 0ms, .last = 1s}.after(70)), 0ms);
}

TEST(Backoff, JitterStaysWithinThePauseAndVaries) {
    constexpr backoff pauses{.first = 2ms, .last = 100ms};
    std::minstd_rand chance(1);
    for (std::uint64_t failures = 0; failures < 12; ++failures) {
        const milliseconds longest = std::max(pauses.after(failures), 1ms);
        milliseconds least = milliseconds::max(), most{0};
        for (int i = 0; i < 1000; ++i) {
            const milliseconds pause = pauses.after(failures, chance);
            least = std::min(least, pause);
            most = std::max(most, pause);
        }
        EXPECT_GE(least, 1ms);
        EXPECT_LE(most, longest);
        EXPECT_TRUE(least < most || longest == 1ms) << failures;
    }
}

}  // namespace
}  // namespace floodgate
