#include "shop/recent_orders.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "shop/news_fixture.hpp"

namespace floodgate::shop {
namespace {

using enum sale::order_state;

TEST(RecentOrders, RemembersWhatItWasTold) {
    recent_orders recent({.max = 100});
    EXPECT_FALSE(recent.find({5}));
    EXPECT_TRUE(recent.apply(news_of{.no = 5, .buyer = 8}));
    const auto found = recent.find({5});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->buyer, sale::user_id{8});
    EXPECT_EQ(found->state, unpaid);
    EXPECT_FALSE(recent.find({6}));
}

// Each piece of news after each other one: what is known then, and whether it was taken over.
TEST(RecentOrders, NeverGoesBackwards) {
    struct step {
        news_of first, then;
        bool is_news;
    };
    const news_of entry{}, failure{.state = failed}, closing{.closing = "timed_out"};
    const news_of pay{.state = paid, .event = 5}, refund{.state = refunding, .event = 6};
    const step table[] = {
        {entry, entry, false},     {entry, closing, true},    {entry, pay, true},
        {failure, entry, false},   {failure, failure, false}, {closing, entry, false},
        {closing, closing, false}, {closing, pay, true},      {pay, entry, false},
        {pay, closing, false},     {pay, pay, false},         {pay, refund, true},
        {refund, pay, false},      {refund, entry, false},    {refund, closing, false},
    };
    for (const step& s : table) {
        recent_orders recent({.max = 100});
        EXPECT_TRUE(recent.apply(s.first));
        EXPECT_EQ(recent.apply(s.then), s.is_news);
        const auto now = recent.find({1});
        ASSERT_TRUE(now);
        EXPECT_EQ(now->state, (s.is_news ? s.then : s.first).state);
        EXPECT_EQ(now->closing, (s.is_news ? s.then : s.first).closing);
    }
}

TEST(RecentOrders, ForgetsEverythingWhenTold) {
    recent_orders recent({.max = 100});
    for (std::uint64_t no = 1; no <= 50; ++no) recent.apply(news_of{.no = no});
    recent.forget_all();
    for (std::uint64_t no = 1; no <= 50; ++no) EXPECT_FALSE(recent.find({no}));
    EXPECT_EQ(recent.newest_entered().value, 50U) << "they are entered all the same";
    EXPECT_TRUE(recent.apply(news_of{.no = 7, .state = closed, .event = 3}));
    EXPECT_EQ(recent.find({7})->state, closed);
}

TEST(RecentOrders, ForgetsTheOldestFirst) {
    recent_orders recent({.max = 640});  // ten to a part, more or less evenly filled
    for (std::uint64_t no = 1; no <= 10'000; ++no) recent.apply(news_of{.no = no << 22U});
    std::size_t kept = 0, of_the_latest = 0;
    for (std::uint64_t no = 1; no <= 10'000; ++no) {
        if (!recent.find({no << 22U})) continue;
        ++kept;
        of_the_latest += no > 9'000;
    }
    EXPECT_EQ(kept, 640U);
    EXPECT_EQ(of_the_latest, 640U);
}

TEST(RecentOrders, AChangeDoesNotMakeAnOrderYounger) {
    recent_orders recent({.max = 1});  // one to a part
    recent.apply(news_of{.no = 1});
    recent.apply(news_of{.no = 1, .state = paid, .event = 3});
    for (std::uint64_t no = 2; no < 1000; ++no) recent.apply(news_of{.no = no});
    EXPECT_FALSE(recent.find({1}));
}

TEST(RecentOrders, KnowsTheNewestNumberThatWasEntered) {
    recent_orders recent({.max = 64});
    EXPECT_EQ(recent.newest_entered().value, 0U);
    recent.apply(news_of{.no = 900, .state = paid, .event = 1});  // not an entry
    EXPECT_EQ(recent.newest_entered().value, 0U);
    recent.apply(news_of{.no = 7});
    recent.apply(news_of{.no = 9, .state = failed});
    recent.apply(news_of{.no = 8});
    EXPECT_EQ(recent.newest_entered().value, 9U);
    for (std::uint64_t no = 10; no < 2000; ++no) recent.apply(news_of{.no = no});
    EXPECT_EQ(recent.newest_entered().value, 1999U);  // long after 9 was forgotten
}

TEST(RecentOrders, OnlyWhereNumbersComeInOrderIsAHigherNumberSurelyNotEntered) {
    recent_orders in_order({.max = 64}), of_many_nodes({.max = 64, .numbers_in_order = false});
    for (recent_orders* recent : {&in_order, &of_many_nodes}) {
        recent->start_from({5});
        recent->apply(news_of{.no = 7});
        EXPECT_FALSE(recent->is_beyond_entries({6}));
        EXPECT_FALSE(recent->is_beyond_entries({7}));
    }
    EXPECT_TRUE(in_order.is_beyond_entries({8}));
    EXPECT_FALSE(of_many_nodes.is_beyond_entries({8}));
}

// As on a node of a cluster, which may have missed the news of another node.
TEST(RecentOrders, BelievesWhatItWasToldOnlyForAWhile) {
    manual_monotonic_clock clock;
    recent_orders recent({.max = 100, .believed_for = milliseconds(2000)}, clock);
    recent.apply(news_of{.no = 1});
    recent.apply(news_of{.no = 2});
    clock.advance(milliseconds(1999));
    EXPECT_TRUE(recent.find({1}));
    recent.apply(news_of{.no = 2, .state = paid, .event = 1});
    clock.advance(milliseconds(1));
    EXPECT_FALSE(recent.find({1})) << "the ledger is to be asked";
    ASSERT_TRUE(recent.find({2})) << "heard of since";
    EXPECT_EQ(recent.find({2})->state, paid);
    clock.advance(milliseconds(1999));
    EXPECT_FALSE(recent.find({2}));
}

TEST(RecentOrders, OldNewsDoesNotMakeAnOrderBelievedLonger) {
    manual_monotonic_clock clock;
    recent_orders recent({.max = 100, .believed_for = milliseconds(2000)}, clock);
    recent.apply(news_of{.no = 1, .state = paid, .event = 1});
    clock.advance(milliseconds(2000));
    EXPECT_FALSE(recent.apply(news_of{.no = 1})) << "its entry, told late";
    EXPECT_FALSE(recent.find({1}));
}

TEST(RecentOrders, ANodeThatHearsEverythingBelievesItForEver) {
    manual_monotonic_clock clock;
    recent_orders recent({.max = 100}, clock);
    recent.apply(news_of{.no = 1});
    clock.advance(std::chrono::hours(1000));
    EXPECT_TRUE(recent.find({1}));
}

TEST(RecentOrders, TakesFromManyThreads) {
    recent_orders recent({.max = 10'000});
    std::vector<std::thread> tellers;
    tellers.reserve(4);
    for (int t = 0; t < 4; ++t)
        tellers.emplace_back([&recent, t] {
            for (std::uint64_t no = 1; no <= 500; ++no)
                recent.apply(news_of{.no = no, .state = t % 2 ? paid : refunding, .event = t + 1});
        });
    for (auto& t : tellers) t.join();
    for (std::uint64_t no = 1; no <= 500; ++no) EXPECT_EQ(recent.find({no})->state, paid);
}

}  // namespace
}  // namespace floodgate::shop
