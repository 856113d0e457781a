#include "push/mailroom.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "shop/news_fixture.hpp"

namespace floodgate::push {
namespace {

using shop::news_of;

using enum sale::order_state;
using news = std::vector<sale::order_news>;

class MailroomTest : public testing::Test {
protected:
    // A loop that keeps what it gets.
    struct loop {
        std::vector<news> bags;
        std::vector<std::uint64_t> replaced;
        std::uint32_t box = 0;
        int missed = 0;
    };
    void open(loop& l) {
        l.box = room_.open_box({.news = [&l](news n) { l.bags.push_back(std::move(n)); },
                                .replaced = [&l](std::uint64_t s) { l.replaced.push_back(s); },
                                .missed = [&l] { ++l.missed; }});
    }
    void deliver(const news& n) { room_.deliver(n); }

    shop::recent_orders recent_;
    mailroom room_{recent_,
                   {.waiters_max = 3, .sockets = {.connections_max = 7, .per_user_max = 2}}};
    loop one_, two_;
};

TEST_F(MailroomTest, TellsTheLoopsThatListenOncePerBatchAndOrder) {
    open(one_);
    open(two_);
    room_.join({7}, {one_.box, 1});
    room_.join({7}, {one_.box, 2});
    room_.start_waiting({100}, {7}, {one_.box, 9});
    room_.start_waiting({300}, {8}, {two_.box, 9});
    deliver({news_of{.no = 100}, news_of{.no = 200}, news_of{.no = 300, .buyer = 8},
             news_of{.no = 400, .buyer = 9}});
    ASSERT_EQ(one_.bags.size(), 1U);
    ASSERT_EQ(one_.bags[0].size(), 2U);
    EXPECT_EQ(one_.bags[0][0].what.no.value, 100U);
    EXPECT_EQ(one_.bags[0][1].what.no.value, 200U);
    ASSERT_EQ(two_.bags.size(), 1U);
    ASSERT_EQ(two_.bags[0].size(), 1U);
    EXPECT_EQ(two_.bags[0][0].what.no.value, 300U);
    EXPECT_TRUE(recent_.find({400}));
}

TEST_F(MailroomTest, DoesNotTellWhatIsNoNews) {
    open(one_);
    room_.join({7}, {one_.box, 1});
    deliver({news_of{.state = paid, .event = 4}});
    deliver({news_of{}, news_of{.state = paid, .event = 4}});
    ASSERT_EQ(one_.bags.size(), 1U);
    EXPECT_EQ(one_.bags[0].size(), 1U);
}

TEST_F(MailroomTest, TellsTwoMovesOfOneOrderInTheirOrder) {
    open(one_);
    room_.join({7}, {one_.box, 1});
    deliver({news_of{.state = paid, .event = 4}, news_of{.state = refunding, .event = 5}});
    ASSERT_EQ(one_.bags.at(0).size(), 2U);
    EXPECT_EQ(one_.bags[0][1].event, 5);
}

TEST_F(MailroomTest, WhoeverStoppedListeningHearsNothing) {
    open(one_);
    room_.join({7}, {one_.box, 1});
    room_.start_waiting({1}, {7}, {one_.box, 9});
    room_.leave({7}, {one_.box, 1});
    room_.stop_waiting({1}, {7}, {one_.box, 9});
    room_.stop_waiting({1}, {7}, {one_.box, 9});  // twice does no harm
    deliver({news_of{}});
    EXPECT_TRUE(one_.bags.empty());
    EXPECT_EQ(room_.read_figures().sockets, 0U);
    EXPECT_EQ(room_.read_figures().waiters, 0U);
}

TEST_F(MailroomTest, AClosedBoxIsNotCalled) {
    open(one_);
    room_.join({7}, {one_.box, 1});
    room_.close_box(one_.box);
    deliver({news_of{}});
    EXPECT_TRUE(one_.bags.empty());
}

TEST_F(MailroomTest, ThatNewsWereMissedIsToldToAllWhoAreThere) {
    open(one_);
    open(two_);
    deliver({news_of{}});
    ASSERT_TRUE(recent_.find({news_of{}.no}));
    room_.close_box(two_.box);
    room_.note_missed();
    EXPECT_EQ(one_.missed, 1);
    EXPECT_EQ(two_.missed, 0);
    EXPECT_FALSE(recent_.find({news_of{}.no})) << "it may have moved on meanwhile";
}

TEST_F(MailroomTest, TheSocketTooManyOfAUserReplacesTheirOldestWhereverItIs) {
    open(one_);
    open(two_);
    EXPECT_TRUE(room_.join({7}, {one_.box, 1}));
    EXPECT_TRUE(room_.join({7}, {two_.box, 2}));
    EXPECT_TRUE(room_.join({8}, {two_.box, 3}));
    EXPECT_TRUE(one_.replaced.empty());
    EXPECT_TRUE(room_.join({7}, {two_.box, 4}));
    EXPECT_EQ(one_.replaced, std::vector<std::uint64_t>{1});
    EXPECT_TRUE(two_.replaced.empty());
    EXPECT_EQ(room_.read_figures().sockets, 3U);
    room_.leave({7}, {one_.box, 1});  // the replaced one says goodbye: it is not counted twice
    EXPECT_EQ(room_.read_figures().sockets, 3U);
}

TEST_F(MailroomTest, TakesSoManySocketsAndWaitersAndNoMore) {
    open(one_);
    for (std::int64_t user = 1; user <= 7; ++user)
        EXPECT_TRUE(room_.join({user}, {one_.box, static_cast<std::uint64_t>(user)}));
    EXPECT_FALSE(room_.join({8}, {one_.box, 8}));
    EXPECT_EQ(room_.read_figures().refused, 1U);
    for (std::uint64_t no = 1; no <= 3; ++no)
        EXPECT_TRUE(room_.start_waiting({no}, {7}, {one_.box, no}));
    EXPECT_FALSE(room_.start_waiting({4}, {7}, {one_.box, 4}));
    room_.stop_waiting({1}, {7}, {one_.box, 1});
    EXPECT_TRUE(room_.start_waiting({4}, {7}, {one_.box, 4}));
}

TEST_F(MailroomTest, ThePollTooManyOfAUserEndsTheirOldestWhereverItIs) {
    mailroom room(recent_, {.waiters_max = 9, .waiters_per_user_max = 2});
    std::vector<std::uint64_t> ended;
    const auto first =
        room.open_box({.news = {}, .replaced = {}, .waited_enough = [&](std::uint64_t c) {
                           ended.push_back(c);
                       }});
    const auto second = room.open_box({});
    EXPECT_TRUE(room.start_waiting({1}, {7}, {first, 11}));
    EXPECT_TRUE(room.start_waiting({2}, {7}, {second, 12}));
    EXPECT_TRUE(room.start_waiting({1}, {8}, {first, 13})) << "another user";
    EXPECT_TRUE(ended.empty());
    EXPECT_TRUE(room.start_waiting({1}, {7}, {second, 14}));
    EXPECT_EQ(ended, std::vector<std::uint64_t>{11});
    EXPECT_EQ(room.read_figures().waiters, 4U) << "until it has been answered";
    room.stop_waiting({1}, {7}, {first, 11});
    EXPECT_EQ(room.read_figures().waiters, 3U);
    room.stop_waiting({2}, {7}, {second, 12});
    EXPECT_TRUE(room.start_waiting({2}, {7}, {second, 15}));
    EXPECT_EQ(ended.size(), 1U);
}

// One side registers and then looks, the other applies and then tells: one always sees the other.
TEST_F(MailroomTest, NothingIsMissedBetweenListeningAndLooking) {
    std::atomic<int> heard{0};
    const auto box = room_.open_box({.news = [&](const news&) { ++heard; }, .replaced = {}});
    int seen_both_ways = 0;
    for (std::uint64_t no = 1; no <= 2000; ++no) {
        heard = 0;
        std::thread teller([&] { deliver({news_of{.no = no, .buyer = 7}}); });
        room_.start_waiting({no}, {7}, {box, no});
        const bool seen = recent_.find({no}).has_value();
        teller.join();
        ASSERT_TRUE(seen || heard == 1) << no;
        seen_both_ways += seen && heard == 1;
        room_.stop_waiting({no}, {7}, {box, no});
    }
    EXPECT_LE(seen_both_ways, 2000);
}

}  // namespace
}  // namespace floodgate::push
