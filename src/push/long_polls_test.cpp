#include "push/long_polls.hpp"

#include <gtest/gtest.h>

#include "shop/news_fixture.hpp"

namespace floodgate::push {
namespace {

using shop::news_of;

using enum sale::order_state;

class LongPollsTest : public testing::Test {
protected:
    static constexpr std::uint64_t connection = 55;

    long_polls::question asked(sale::order_state status = queued, std::int64_t buyer = 7) const {
        return {.order = {1}, .buyer = {buyer}, .status = status, .until = later_};
    }

    shop::recent_orders recent_;
    mailroom room_{recent_, {.waiters_max = 2}};
    const std::uint32_t box_ = room_.open_box({});
    long_polls polls_{room_, box_};
    const std::chrono::steady_clock::time_point now_ = std::chrono::steady_clock::now();
    const std::chrono::steady_clock::time_point later_ = now_ + std::chrono::seconds(10);
};

TEST_F(LongPollsTest, WaitsUntilTheOrderLeavesTheState) {
    const auto poll = polls_.begin(connection, asked());
    EXPECT_NE(poll, 0U);
    EXPECT_FALSE(polls_.looked_up({connection, "queued"}, poll, queued));
    EXPECT_TRUE(polls_.hear(news_of{.no = 2}).empty());
    const auto answers = polls_.hear(news_of{});
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(answers[0].to, connection);
    EXPECT_NE(answers[0].body.find("\"unpaid\""), std::string::npos);
    EXPECT_EQ(polls_.count(), 0U);
    EXPECT_EQ(room_.read_figures().waiters, 0U);
}

TEST_F(LongPollsTest, AnswersAtOnceWhenTheOrderIsInAnotherState) {
    const auto poll = polls_.begin(connection, asked());
    EXPECT_TRUE(polls_.looked_up({connection, "unpaid"}, poll, unpaid));
    EXPECT_EQ(polls_.count(), 0U);
}

TEST_F(LongPollsTest, HearsWhatHappensWhileItLooks) {
    const auto poll = polls_.begin(connection, asked());
    EXPECT_EQ(polls_.hear(news_of{}).size(), 1U);
    EXPECT_FALSE(polls_.looked_up({connection, "queued"}, poll, queued));  // too late, and stale
    EXPECT_EQ(polls_.count(), 0U);
}

TEST_F(LongPollsTest, AStaleLookUpDoesNotEndTheWaitForWhatWasHeard) {
    const auto poll = polls_.begin(connection, asked(unpaid));
    EXPECT_TRUE(polls_.hear(news_of{}).empty());
    EXPECT_FALSE(polls_.looked_up({connection, "queued"}, poll, queued));
    EXPECT_EQ(polls_.hear(news_of{.state = paid, .event = 3}).size(), 1U);
}

TEST_F(LongPollsTest, ALookUpOfAnEarlierPollIsNotThisOnesAnswer) {
    const auto first = polls_.begin(connection, asked());
    EXPECT_EQ(polls_.hear(news_of{}).size(), 1U);
    const auto second = polls_.begin(connection, asked(unpaid));
    EXPECT_FALSE(polls_.looked_up({connection, "queued"}, first, queued));
    EXPECT_FALSE(polls_.withdraw(connection, first));
    EXPECT_FALSE(polls_.looked_up({connection, "unpaid"}, second, unpaid));
    EXPECT_EQ(polls_.count(), 1U);
}

TEST_F(LongPollsTest, SaysWhatIsKnownWhenTheTimeIsOver) {
    const auto poll = polls_.begin(connection, asked());
    polls_.looked_up({connection, "queued"}, poll, queued);
    EXPECT_TRUE(polls_.overdue(later_ - milliseconds(1)).empty());
    const auto answers = polls_.overdue(later_);
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(answers[0].body, "queued");
    EXPECT_EQ(polls_.count(), 0U);
}

TEST_F(LongPollsTest, AnOverduePollThatIsStillLookedUpIsAnsweredByTheLookUp) {
    const auto poll = polls_.begin(connection, asked());
    EXPECT_TRUE(polls_.overdue(later_).empty());
    EXPECT_TRUE(polls_.looked_up({connection, "queued"}, poll, queued));
    EXPECT_EQ(polls_.count(), 0U);
}

TEST_F(LongPollsTest, ShowsAChangeThatIsNoChangeOfStateInTheEnd) {
    const auto poll = polls_.begin(connection, asked(unpaid));
    polls_.looked_up({connection, "unpaid"}, poll, unpaid);
    EXPECT_TRUE(polls_.hear(news_of{.closing = "cancelled"}).empty());
    EXPECT_NE(polls_.overdue(later_).at(0).body.find("cancelled"), std::string::npos);
}

TEST_F(LongPollsTest, DoesNotTellOfAForeignOrder) {
    const auto poll = polls_.begin(connection, asked(queued, 8));
    EXPECT_TRUE(polls_.hear(news_of{.buyer = 7}).empty());
    EXPECT_TRUE(polls_.withdraw(connection, poll));  // what the look-up leads to: 404
}

TEST_F(LongPollsTest, EndsOneOrAllWithWhatIsKnown) {
    const auto poll = polls_.begin(connection, asked());
    EXPECT_FALSE(polls_.end(connection));  // not looked up yet
    EXPECT_TRUE(polls_.looked_up({connection, "queued"}, poll, queued));
    const auto again = polls_.begin(connection, asked());
    polls_.looked_up({connection, "queued"}, again, queued);
    EXPECT_EQ(polls_.end(connection)->body, "queued");
    const auto third = polls_.begin(connection, asked());
    polls_.looked_up({connection, "queued"}, third, queued);
    EXPECT_EQ(polls_.end_all().size(), 1U);
    EXPECT_EQ(polls_.count(), 0U);
}

TEST_F(LongPollsTest, IsForgottenWithItsConnectionAndItsRoomGoesToOthers) {
    EXPECT_NE(polls_.begin(1, asked()), 0U);
    EXPECT_NE(polls_.begin(2, asked()), 0U);
    EXPECT_EQ(polls_.begin(3, asked()), 0U);
    polls_.forget(1);
    polls_.forget(99);
    EXPECT_NE(polls_.begin(3, asked()), 0U);
    EXPECT_EQ(polls_.hear(news_of{}).size(), 2U);
}

TEST_F(LongPollsTest, TheOldestOfAUserWithTooManyIsTheOneThatEnds) {
    mailroom room(recent_, {.waiters_max = 9, .waiters_per_user_max = 1});
    std::vector<std::uint64_t> ended;
    const auto box =
        room.open_box({.news = {}, .replaced = {}, .waited_enough = [&](std::uint64_t c) {
                           ended.push_back(c);
                       }});
    long_polls polls(room, box);
    polls.looked_up({1, "queued"}, polls.begin(1, asked()), queued);
    polls.begin(2, asked());
    ASSERT_EQ(ended, std::vector<std::uint64_t>{1});
    EXPECT_EQ(polls.end(1)->body, "queued");
    EXPECT_EQ(room.read_figures().waiters, 1U);
}

TEST_F(LongPollsTest, LeavesNothingBehind) {
    {
        long_polls others(room_, box_);
        others.begin(connection, asked());
        EXPECT_EQ(room_.read_figures().waiters, 1U);
    }
    EXPECT_EQ(room_.read_figures().waiters, 0U);
}

}  // namespace
}  // namespace floodgate::push
