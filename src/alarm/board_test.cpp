#include "alarm/board.hpp"

#include <gtest/gtest.h>

namespace floodgate::alarm {
namespace {

const instant noon = from_ms(1'800'000'000'000);
const instant later = noon + milliseconds(1500);

class BoardTest : public testing::Test {
protected:
    std::vector<notice> told_;
    board board_{[this](const notice& n) { told_.push_back(n); }};
};

TEST_F(BoardTest, TellsOnceWhenAnAlertBeginsAndOnceWhenItEnds) {
    board_.raise(kind::backlog, "clerk", "100 promises wait", noon);
    board_.raise(kind::backlog, "clerk", "200 promises wait", later);
    ASSERT_EQ(told_.size(), 1U);
    EXPECT_FALSE(told_[0].cleared);
    EXPECT_EQ(told_[0].what.detail, "100 promises wait");
    EXPECT_EQ(told_[0].at, noon);

    board_.clear(kind::backlog, "clerk", later);
    board_.clear(kind::backlog, "clerk", later);
    ASSERT_EQ(told_.size(), 2U);
    EXPECT_TRUE(told_[1].cleared);
    EXPECT_EQ(told_[1].what.since, noon);
    EXPECT_EQ(told_[1].what.detail, "200 promises wait") << "the latest";
    EXPECT_EQ(told_[1].at, later);
    EXPECT_TRUE(board_.standing().empty());
}

TEST_F(BoardTest, RenewsTheDetailAndKeepsTheBeginning) {
    board_.raise(kind::disk, "data", "low", noon);
    board_.raise(kind::disk, "data", "lower", later);
    const auto standing = board_.standing();
    ASSERT_EQ(standing.size(), 1U);
    EXPECT_EQ(standing[0].detail, "lower");
    EXPECT_EQ(standing[0].since, noon);
    EXPECT_EQ(board_.raised(kind::disk), 1U);
}

TEST_F(BoardTest, KeepsSubjectsAndKindsApartOldestFirst) {
    board_.raise(kind::invariant_breach, "sale 8", "", later);
    board_.raise(kind::invariant_breach, "sale 7", "", noon);
    board_.raise(kind::backlog, "sale 7", "", later + milliseconds(1));
    board_.clear(kind::invariant_breach, "sale 9", later);
    ASSERT_EQ(board_.standing().size(), 3U);
    EXPECT_EQ(board_.standing()[0].subject, "sale 7");
    EXPECT_EQ(board_.standing()[2].kind, kind::backlog);
    EXPECT_EQ(board_.raised(kind::invariant_breach), 2U);
    EXPECT_EQ(board_.raised(kind::dead_letters), 0U);
    EXPECT_EQ(told_.size(), 3U);
}

TEST_F(BoardTest, CountsEachTimeItIsRaisedAgain) {
    for (int i = 0; i < 3; ++i) {
        board_.set(true, kind::disk, "data", "low", noon);
        board_.set(true, kind::disk, "data", "low", noon);
        board_.set(false, kind::disk, "data", "", later);
    }
    EXPECT_EQ(board_.raised(kind::disk), 3U);
    EXPECT_EQ(told_.size(), 6U);
}

TEST_F(BoardTest, TellsWithoutItsLock) {
    board* whole = nullptr;
    board asking([&](const notice&) { EXPECT_LE(whole->standing().size(), 1U); });
    whole = &asking;
    asking.raise(kind::disk, "data", "low", noon);
    asking.clear(kind::disk, "data", later);
}

TEST(Alarm, EveryKindHasAWordOfItsOwn) {
    std::map<std::string, int> words;
    for (std::uint8_t k = 1; k <= kinds; ++k) ++words[to_text(static_cast<kind>(k))];
    EXPECT_EQ(words.size(), kinds);
    EXPECT_FALSE(words.contains("?"));
}

}  // namespace
}  // namespace floodgate::alarm
