#include "jobs/round_keeper.hpp"

#include <gtest/gtest.h>

#include "gate/embedded_turnstile.hpp"
#include "ledger/ledger_fixture.hpp"
#include "sale/line_in_memory.hpp"
#include "shop/silent_node.hpp"

namespace floodgate::jobs {
namespace {

using ledger::noon;  // the rounds of the fixture last from noon for two hours
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

class RoundsTest : public testing::Test {
protected:
    bool loaded(sale::sale_id id) { return turnstile_.look_up(id).has_value(); }
    sale::answer buy(sale::sale_id id, std::int64_t buyer, instant now) {
        const auto lane = turnstile_.open_lane([] {});
        const sale::attempt a{.sale = id, .buyer = {buyer}};
        lane->submit({&a, 1}, now);
        std::vector<sale::verdict> out;
        lane->collect(out);
        return out.at(0).what;
    }
    void move_round(sale::sale_id of, instant starts_at) {
        for (const sale::sale& s : book_.catalogue().sales().value()) {
            if (s.id != of) continue;
            const sale::round r{s.round, "moved", starts_at, starts_at + hours(2)};
            ASSERT_TRUE(book_.catalogue().update_round(r).has_value());
        }
    }
    round_figures figures() { return keeper_.read_figures(); }

    ledger::scratch_directory directory_;
    ledger::book_verbs verbs_{ledger::databases().at(1).open(directory_)};
    ledger::ledger& book_ = verbs_.book();
    sale::line_in_memory line_;
    gate::embedded_turnstile turnstile_{line_, {}};
    shop::silent_node node_;
    manual_clock clock_{noon};
    shop::catalogue_desk desk_{book_, turnstile_, node_, clock_};
    round_keeper keeper_{desk_, book_.catalogue(), {}};
};

TEST_F(RoundsTest, LoadsASaleAheadOfItsRoundAndOpensNothingByThat) {
    const auto id = verbs_.add_sale();
    keeper_.step(noon - minutes(11));
    EXPECT_FALSE(loaded(id));
    keeper_.step(noon - minutes(10));
    EXPECT_TRUE(loaded(id));
    EXPECT_EQ(figures().warmed, 1U);
    EXPECT_EQ(buy(id, 1, noon - milliseconds(1)), sale::answer::not_started);
    EXPECT_EQ(buy(id, 1, noon), sale::answer::accepted);
    keeper_.step(noon - minutes(9));
    EXPECT_EQ(figures().warmed, 1U) << "once for a round";
}

TEST_F(RoundsTest, TellsOfEachRoundOnce) {
    verbs_.add_sale();
    keeper_.step(noon - seconds(2));
    EXPECT_EQ(figures().opened, 0U);
    keeper_.step(noon);
    keeper_.step(noon + seconds(1));
    EXPECT_EQ(figures().opened, 1U);
    keeper_.step(noon + hours(2));
    keeper_.step(noon + hours(3));
    EXPECT_EQ(figures().ended, 1U);
}

TEST_F(RoundsTest, WhatWasOverBeforeTheFirstLookIsNoNews) {
    const auto id = verbs_.add_sale();
    keeper_.step(noon + hours(3));
    keeper_.step(noon + hours(4));
    EXPECT_EQ(figures().opened, 0U);
    EXPECT_EQ(figures().ended, 0U);
    EXPECT_FALSE(loaded(id)) << "nobody can buy it any more";
}

TEST_F(RoundsTest, AClockThatJumpsADayAndGoesBackTellsNothingTwice) {
    const auto id = verbs_.add_sale();
    keeper_.step(noon - hours(1));
    keeper_.step(noon + hours(23));
    EXPECT_EQ(figures().opened, 1U);
    EXPECT_EQ(figures().ended, 1U);
    keeper_.step(noon - hours(1));
    keeper_.step(noon - minutes(5));
    EXPECT_TRUE(loaded(id)) << "it looks although the clock shows less than before";
    EXPECT_EQ(buy(id, 1, noon - minutes(5)), sale::answer::not_started);
    keeper_.step(noon);
    keeper_.step(noon + hours(2));
    EXPECT_EQ(figures().opened, 1U);
    EXPECT_EQ(figures().ended, 1U);
}

TEST_F(RoundsTest, ReadsTheCatalogueOnceASecond) {
    keeper_.step(noon);
    const auto id = verbs_.add_sale();
    for (int i = 0; i < 3; ++i) keeper_.step(noon);  // the clock stands still
    keeper_.step(noon + milliseconds(999));
    EXPECT_FALSE(loaded(id));
    keeper_.step(noon + milliseconds(1000));
    EXPECT_TRUE(loaded(id));
}

TEST_F(RoundsTest, ARoundThatIsMovedIsWarmedAndToldAgain) {
    const auto id = verbs_.add_sale();
    keeper_.step(noon - seconds(1));
    keeper_.step(noon);
    move_round(id, noon + hours(5));
    keeper_.step(noon + seconds(1));
    EXPECT_EQ(figures().warmed, 1U);
    keeper_.step(noon + hours(5) - minutes(1));
    EXPECT_EQ(figures().warmed, 2U);
    keeper_.step(noon + hours(5));
    EXPECT_EQ(figures().opened, 2U);
}

TEST_F(RoundsTest, LeavesDraftsAndPausedSalesAlone) {
    const auto id = verbs_.add_sale();
    instant now = noon;
    for (const auto* state : {"draft", "paused", "ended"}) {
        verbs_.sql(std::string("UPDATE sales SET state = '") + state + "'");
        keeper_.step(now += seconds(1));
        EXPECT_FALSE(loaded(id)) << state;
    }
    verbs_.sql("UPDATE sales SET state = 'published'");
    keeper_.step(now += seconds(1));
    EXPECT_TRUE(loaded(id));
}

TEST_F(RoundsTest, TriesAgainWhatFailed) {
    const auto id = verbs_.add_sale({.stock = 2});
    ASSERT_TRUE(desk_.warm_up(id, {}).has_value());
    buy(id, 1, noon);
    buy(id, 2, noon);
    verbs_.sql("UPDATE sales SET stock = 1");  // fewer than are taken: the gate will not have it
    keeper_.step(noon);
    keeper_.step(noon + seconds(1));
    EXPECT_EQ(figures().failed, 2U);
    EXPECT_EQ(figures().warmed, 0U);
    verbs_.sql("UPDATE sales SET stock = 3");
    keeper_.step(noon + seconds(2));
    EXPECT_EQ(figures().warmed, 1U);
    EXPECT_EQ(turnstile_.look_up(id)->stock, 3);
    EXPECT_EQ(turnstile_.look_up(id)->taken, 2) << "warming up overwrites no count";
}

}  // namespace
}  // namespace floodgate::jobs
