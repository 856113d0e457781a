#include "guard/tickets.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace floodgate::guard {
namespace {

const instant noon = from_ms(1'800'000'000'000);
constexpr sale::user_id ann{7}, ben{8};

TEST(Tickets, AreWorthOneUse) {
    tickets all;
    const auto ticket = all.issue(ann, noon);
    EXPECT_EQ(ticket.text.size(), 32U);  // 192 bits
    EXPECT_EQ(ticket.expires_at, noon + std::chrono::seconds(30));
    EXPECT_EQ(all.redeem(ticket.text, noon), ann);
    EXPECT_EQ(all.redeem(ticket.text, noon), std::nullopt);
    EXPECT_EQ(all.count(), 0U);
}

TEST(Tickets, ExpireAfterHalfAMinute) {
    tickets all;
    const std::string early = all.issue(ann, noon).text;
    const std::string late = all.issue(ann, noon).text;
    EXPECT_EQ(all.redeem(early, noon + milliseconds(29'999)), ann);
    EXPECT_EQ(all.redeem(late, noon + milliseconds(30'000)), std::nullopt);
}

TEST(Tickets, AreForgottenWhenTheyHaveExpired) {
    tickets all;
    for (int i = 0; i < 15; ++i) all.issue({i + 1}, noon);
    EXPECT_EQ(all.count(), 15U);
    all.issue(ann, noon + milliseconds(30'000));
    EXPECT_EQ(all.count(), 1U);
}

TEST(Tickets, RefuseWhatTheyDidNotIssue) {
    tickets all;
    const std::string ticket = all.issue(ann, noon).text;
    for (const std::string& text : {std::string(), std::string(32, 'x'), ticket + "x",
                                    ticket.substr(1), std::string(100'000, 'a')})
        EXPECT_EQ(all.redeem(text, noon), std::nullopt) << text.substr(0, 40);
    EXPECT_EQ(all.redeem(ticket, noon), ann);
}

TEST(Tickets, OneUserHasTwentyAtMostAndLosesTheOldest) {
    tickets all;
    const std::string bens = all.issue(ben, noon).text;
    std::vector<std::string> anns;
    anns.reserve(21);
    for (int i = 0; i < 21; ++i) anns.push_back(all.issue(ann, noon).text);
    EXPECT_EQ(all.count(), 21U);
    EXPECT_EQ(all.redeem(anns[0], noon), std::nullopt);
    for (std::size_t i = 1; i < anns.size(); ++i) EXPECT_EQ(all.redeem(anns[i], noon), ann) << i;
    EXPECT_EQ(all.redeem(bens, noon), ben);
}

TEST(Tickets, InAllThereAreSoManyAndTheOldestGo) {
    tickets all({.max = 3});
    std::vector<std::string> issued;
    issued.reserve(5);
    for (int i = 0; i < 5; ++i) issued.push_back(all.issue({i + 1}, noon).text);
    EXPECT_EQ(all.count(), 3U);
    EXPECT_EQ(all.redeem(issued[1], noon), std::nullopt);
    EXPECT_EQ(all.redeem(issued[2], noon), sale::user_id{3});
}

TEST(Tickets, OfManyWhoTryOneOnlyOneGetsIn) {
    tickets all;
    for (int round = 0; round < 100; ++round) {
        const std::string ticket = all.issue(ann, noon).text;
        std::atomic<int> in{0};
        std::vector<std::thread> crowd;
        crowd.reserve(3);
        for (int i = 0; i < 3; ++i)
            crowd.emplace_back([&] { in += all.redeem(ticket, noon).has_value() ? 1 : 0; });
        for (auto& t : crowd) t.join();
        ASSERT_EQ(in, 1);
    }
}

}  // namespace
}  // namespace floodgate::guard
