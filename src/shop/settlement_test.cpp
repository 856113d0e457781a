#include "shop/settlement.hpp"

#include <gtest/gtest.h>

#include "gate/memory_gate.hpp"

namespace floodgate::shop {
namespace {

using enum sale::order_state;

ledger::move_outcome outcome_of(std::uint64_t no, sale::order_state state, bool moved = true) {
    ledger::move_outcome m;
    m.order.no = {no};
    m.order.state = state;
    m.moved = moved;
    m.event = static_cast<std::int64_t>(no) * 10;
    return m;
}

struct SettlementTest : testing::Test {
    gate::memory_gate gate;
    std::vector<std::size_t> returned_before;  // how many units were back at each telling
    std::vector<sale::order_news> news;
    settlement after{gate, [this](std::span<const sale::order_news> all) {
                         returned_before.push_back(gate.released.size());
                         news.insert(news.end(), all.begin(), all.end());
                     }};
};

TEST_F(SettlementTest, UnitsComeBackFromWhatHoldsNoStockAnyMore) {
    std::uint64_t no = 0;
    for (const auto state : {unpaid, paid, refunding, refunded, closed, failed})
        after.settle(outcome_of(++no, state));
    EXPECT_EQ(gate.released, (std::vector<sale::order_no>{{4}, {5}, {6}}));
    ASSERT_EQ(news.size(), 6U);
    EXPECT_EQ(news[4].what.state, closed);
    EXPECT_EQ(news[4].event, 50);
}

TEST_F(SettlementTest, WhatDidNotMoveHasNone) {
    after.settle(outcome_of(1, closed, false));
    EXPECT_TRUE(gate.released.empty());
    EXPECT_TRUE(news.empty());
}

TEST_F(SettlementTest, ManyAreToldAtOnceAfterTheirUnitsAreBack) {
    const std::vector<ledger::move_outcome> all{outcome_of(1, closed), outcome_of(2, paid, false),
                                                outcome_of(3, closed)};
    after.settle(all);
    EXPECT_EQ(news.size(), 2U);
    EXPECT_EQ(returned_before, std::vector<std::size_t>{2});
    after.settle(std::span<const ledger::move_outcome>{});
    EXPECT_EQ(returned_before.size(), 1U) << "nothing is not told";
}

TEST_F(SettlementTest, OfWhatWasJustEnteredTheRefusedOnesGiveTheirUnitsBack) {
    std::vector<sale::order_news> entered;
    for (const auto state : {unpaid, failed, unpaid})
        entered.push_back({outcome_of(entered.size() + 1, state).order, 0});
    after.settle(entered);
    EXPECT_EQ(gate.released, std::vector<sale::order_no>{{2}});
    EXPECT_EQ(returned_before, std::vector<std::size_t>{1});
    EXPECT_EQ(news.size(), 3U);
    EXPECT_EQ(after.moves_to(unpaid), 0U) << "an entry is not a move";
}

TEST_F(SettlementTest, NobodyNeedsToListen) {
    settlement({gate}, nullptr).settle(outcome_of(1, closed));
    EXPECT_EQ(gate.released.size(), 1U);
}

}  // namespace
}  // namespace floodgate::shop
