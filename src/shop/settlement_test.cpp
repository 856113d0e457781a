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

TEST_F(SettlementTest, ABuyerWhoLetAnOrderGoWaitsFromTheMoveOn) {
    const instant moved_at = from_ms(1'800'000'000'000);
    const settlement strict(gate, nullptr, milliseconds(30'000));
    std::uint64_t no = 0;
    for (const auto state : {closed, refunded, failed}) {
        ledger::move_outcome m = outcome_of(++no, state);
        m.at = moved_at;
        strict.settle(m);
    }
    ASSERT_EQ(gate.waits.size(), 3U);
    EXPECT_EQ(gate.waits[0].from, moved_at);
    EXPECT_EQ(gate.waits[0].until, moved_at + milliseconds(30'000));
    EXPECT_FALSE(gate.waits[1].lasts()) << "a refund is agreed on";
    EXPECT_FALSE(gate.waits[2].lasts()) << "a failure is ours";
}

TEST_F(SettlementTest, WithoutACoolDownNobodyWaits) {
    ledger::move_outcome m = outcome_of(1, closed);
    m.at = from_ms(1'800'000'000'000);
    after.settle(m);
    EXPECT_FALSE(gate.waits.at(0).lasts());
}

TEST_F(SettlementTest, WithdrawnUnitsAreReleasedAsSuchAndTheirSaleIsNamed) {
    std::vector<sale::sale_id> smaller;
    std::size_t released = 0;
    const settlement watched(gate, nullptr, milliseconds(0), [&](sale::sale_id id) {
        smaller.push_back(id);
        released = gate.released.size();
    });
    std::vector<ledger::move_outcome> all{outcome_of(1, refunded), outcome_of(2, closed)};
    all[0].order.sale = {7};
    all[0].withdrawn_at = 12;
    watched.settle(all);
    EXPECT_EQ(gate.withdrawn_at, (std::vector<std::int64_t>{12, 0}));
    EXPECT_EQ(smaller, std::vector<sale::sale_id>{{7}});
    EXPECT_EQ(released, 2U) << "after the gate";
}

TEST_F(SettlementTest, AnOrderThatWasRefundedBeforeItWasFoundEnteredIsLeftToItsOwnSettlement) {
    after.settle(std::vector<sale::order_news>{{outcome_of(1, refunded).order, 0}});
    EXPECT_TRUE(gate.released.empty());
    EXPECT_EQ(news.size(), 1U);
}

TEST_F(SettlementTest, NobodyNeedsToListen) {
    settlement({gate}, nullptr).settle(outcome_of(1, closed));
    EXPECT_EQ(gate.released.size(), 1U);
}

}  // namespace
}  // namespace floodgate::shop
