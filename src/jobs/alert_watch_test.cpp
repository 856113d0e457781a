#include "jobs/alert_watch.hpp"

#include <gtest/gtest.h>

namespace floodgate::jobs {
namespace {

const instant noon = from_ms(1'800'000'000'000);
constexpr std::uint64_t gib = 1ULL << 30U;

class WatchTest : public testing::Test {
protected:
    bool standing(alarm::kind k) {
        for (const auto& a : board_.standing())
            if (a.kind == k) return true;
        return false;
    }
    bool with_backlog(std::uint64_t promises, milliseconds oldest = milliseconds(0)) {
        figures_.backlog = promises;
        figures_.lag = oldest;
        watch_.step(noon);
        return standing(alarm::kind::backlog);
    }
    bool with_disk(std::optional<disk_space> space) {
        space_ = space;
        watch_.step(noon);
        return standing(alarm::kind::disk);
    }
    bool failing_for(milliseconds time) {
        figures_.failing_since = noon - time;
        watch_.step(noon);
        return standing(alarm::kind::ledger_failing);
    }

    clerk::figures figures_;
    std::optional<disk_space> space_;
    alarm::board board_;
    alert_watch watch_{{[this] { return figures_; }, [this] { return space_; }, board_}, {}};
};

TEST_F(WatchTest, RaisesABacklogPastItsLimitAndClearsItWithRoomToSpare) {
    EXPECT_FALSE(with_backlog(100'000));
    EXPECT_TRUE(with_backlog(100'001));
    EXPECT_TRUE(with_backlog(80'001)) << "still near the limit";
    EXPECT_FALSE(with_backlog(80'000));
    EXPECT_FALSE(with_backlog(100'000)) << "raised past the limit only";
    EXPECT_EQ(board_.raised(alarm::kind::backlog), 1U);
}

TEST_F(WatchTest, RaisesABacklogForOnePromiseThatWaitsTooLong) {
    EXPECT_FALSE(with_backlog(1, std::chrono::seconds(60)));
    EXPECT_TRUE(with_backlog(1, std::chrono::seconds(61)));
    EXPECT_EQ(board_.standing()[0].detail,
              "promises not in the ledger yet: 1, the oldest for 61 s");
    EXPECT_TRUE(with_backlog(1, std::chrono::seconds(49)));
    EXPECT_FALSE(with_backlog(1, std::chrono::seconds(48)));
}

TEST_F(WatchTest, RaisesALedgerThatFailsForLongerThanAHiccup) {
    EXPECT_FALSE(failing_for(std::chrono::seconds(5)));
    EXPECT_TRUE(failing_for(milliseconds(5001)));
    EXPECT_TRUE(failing_for(milliseconds(-1000)))
        << "the clock was set back: it fails all the same";
    figures_.failing_since = never;
    watch_.step(noon);
    EXPECT_FALSE(standing(alarm::kind::ledger_failing));
}

TEST_F(WatchTest, RaisesADiskThatFillsUpByBytes) {
    EXPECT_FALSE(with_disk({{gib, 10 * gib}}));
    EXPECT_TRUE(with_disk({{gib - 1, 10 * gib}}));
    EXPECT_TRUE(with_disk({{gib / 4 * 5 - 1, 10 * gib}}));
    EXPECT_FALSE(with_disk({{gib / 4 * 5, 10 * gib}}));
}

TEST_F(WatchTest, RaisesADiskThatFillsUpByShare) {
    EXPECT_FALSE(with_disk({{50 * gib, 1000 * gib}}));
    EXPECT_TRUE(with_disk({{49 * gib, 1000 * gib}}));
    EXPECT_EQ(board_.standing()[0].detail, "50176 MiB of 1024000 MiB are free");
    EXPECT_FALSE(with_disk({{70 * gib, 1000 * gib}}));
}

TEST_F(WatchTest, SaysNothingOfADiskItKnowsNothingAbout) {
    EXPECT_FALSE(with_disk(std::nullopt));
    EXPECT_TRUE(with_disk({{1, 10 * gib}}));
    EXPECT_FALSE(with_disk(std::nullopt));
}

}  // namespace
}  // namespace floodgate::jobs
