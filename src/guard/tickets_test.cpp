// What only the tickets in memory promise; the rest is in ticket_office_contract_test.cpp.

#include "guard/tickets.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace floodgate::guard {
namespace {

const instant noon = from_ms(1'800'000'000'000);
constexpr ticket_holder ann{.user = {7}};

TEST(Tickets, AreForgottenWhenTheyHaveExpired) {
    tickets all;
    for (int i = 0; i < 15; ++i) (void)all.issue({.user = {i + 1}}, noon);
    EXPECT_EQ(all.count(), 15U);
    (void)all.issue(ann, noon + milliseconds(30'000));
    EXPECT_EQ(all.count(), 1U);
}

TEST(Tickets, InAllThereAreSoManyAndTheOldestGo) {
    tickets all({.max = 3});
    std::vector<std::string> issued;
    issued.reserve(5);
    for (int i = 0; i < 5; ++i) issued.push_back(all.issue({.user = {i + 1}}, noon)->text);
    EXPECT_EQ(all.count(), 3U);
    EXPECT_EQ(all.redeem(issued[1], noon).value(), std::nullopt);
    EXPECT_EQ(all.redeem(issued[2], noon).value(), ticket_holder{.user = {3}});
}

}  // namespace
}  // namespace floodgate::guard
