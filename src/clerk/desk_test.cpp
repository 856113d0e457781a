#include "clerk/desk.hpp"

#include <gtest/gtest.h>

#include "clerk/stand_ins.hpp"

namespace floodgate::clerk {
namespace {

struct DeskTest : testing::Test {
    memory_source source;
    memory_sink sink;
    memory_gate gate;
    manual_clock clock{noon};
    std::vector<std::size_t> told;  // how much at a time
    std::vector<sale::order_news> news;
    telling_node node{[this](std::span<const sale::order_news> all) {
        told.push_back(all.size());
        news.insert(news.end(), all.begin(), all.end());
    }};
    desk work = at({0});

    desk at(sale::sequence entered) {
        return desk({source, sink, gate, clock, node}, {.batch_max = 10}, entered);
    }
    void expect_every_order_once(std::uint64_t count) {
        ASSERT_EQ(sink.orders.size(), count);
        for (std::uint64_t i = 0; i < count; ++i) EXPECT_EQ(sink.orders[i].value, 1001 + i);
    }
};

TEST_F(DeskTest, EntersTheLineInOrderInBatchesOfAtMostTheMaximum) {
    source.append(25);
    EXPECT_EQ(work.step(), outcome::full);
    EXPECT_EQ(work.step(), outcome::full);
    EXPECT_EQ(work.step(), outcome::part);
    EXPECT_EQ(work.step(), outcome::nothing);
    expect_every_order_once(25);
    EXPECT_EQ(told, (std::vector<std::size_t>{10, 10, 5}));
    EXPECT_EQ(sink.position, 25U);
    EXPECT_EQ(source.forgotten, 25U);
}

TEST_F(DeskTest, KeepsTheBatchWhileTheLedgerIsAwayAndLosesNothing) {
    source.append(5);
    sink.away = true;
    for (std::uint64_t i = 1; i <= 3; ++i) {
        EXPECT_EQ(work.step(), outcome::failed);
        EXPECT_EQ(work.failures(), i);
        source.append(5);  // the rush goes on
    }
    EXPECT_EQ(source.forgotten, 0U) << "the journal must keep what is not in the book";
    EXPECT_TRUE(told.empty());
    sink.away = false;
    EXPECT_EQ(work.step(), outcome::part);
    EXPECT_EQ(sink.batches, (std::vector<std::size_t>{5, 5, 5, 5})) << "the same batch each time";
    EXPECT_EQ(work.failures(), 0U);
    while (work.step() != outcome::nothing) continue;
    expect_every_order_once(20);
}

TEST_F(DeskTest, WaitsForAJournalThatCannotBeReadForNow) {
    source.append(5);
    source.unavailable = true;
    EXPECT_EQ(work.step(), outcome::failed);
    EXPECT_EQ(work.read_figures().failing_since, noon);
    source.unavailable = false;
    EXPECT_EQ(work.step(), outcome::part);
    EXPECT_EQ(work.read_figures().failing_since, never);
    expect_every_order_once(5);
}

TEST_F(DeskTest, SaysSoWhenTheJournalIsCorruptAndEntersNothing) {
    source.append(5);
    source.corrupt = true;
    EXPECT_EQ(work.step(), outcome::corrupt);
    EXPECT_EQ(work.failure(), "journal: corrupt data");
    EXPECT_TRUE(sink.orders.empty());
    EXPECT_EQ(work.position().value, 0U);
}

TEST_F(DeskTest, GivesBackToTheGateExactlyWhatTheLedgerRefused) {
    sink.refuses = [](const sale::promise& p) { return p.order.value % 10 == 3; };
    source.append(25);
    while (work.step() != outcome::nothing) continue;
    EXPECT_EQ(gate.released, (std::vector<sale::order_no>{{1003}, {1013}, {1023}}));
    EXPECT_EQ(work.read_figures().entered, 22U);
    EXPECT_EQ(work.read_figures().refused, 3U);
    EXPECT_EQ(work.position().value, 25U) << "a refusal is dealt with, not repeated";
}

TEST_F(DeskTest, TellsOfEveryOrderAsItIsNow) {
    sink.refuses = [](const sale::promise& p) { return p.order.value == 1002; };
    source.append(2);
    work.step();
    ASSERT_EQ(news.size(), 2U);
    const sale::order& good = news[0].what;
    EXPECT_EQ(news[0].event, 0);
    EXPECT_EQ(good.no.value, 1001U);
    EXPECT_EQ(good.sale.value, 7);
    EXPECT_EQ(good.buyer.value, 1);
    EXPECT_EQ(good.quantity, 2U);
    EXPECT_EQ(good.amount.value, 2 * 9900);
    EXPECT_EQ(good.amount_points.value, 2 * 50);
    EXPECT_EQ(good.state, sale::order_state::unpaid);
    EXPECT_EQ(good.created_at, noon + milliseconds(1));
    EXPECT_EQ(good.pay_by, good.created_at + pay_within);
    EXPECT_EQ(good.reason, "");
    const sale::order& refused = news[1].what;
    EXPECT_EQ(refused.no.value, 1002U);
    EXPECT_EQ(refused.state, sale::order_state::failed);
    EXPECT_EQ(refused.reason, "no_stock");
}

TEST_F(DeskTest, ABatchThatIsKnownAlreadyIsReadFromTheBook) {
    sink.refuses = [](const sale::promise& p) { return p.order.value == 1002; };
    source.append(3);
    ASSERT_TRUE(sink.enter(source.line, {3}));  // and the answer was lost
    work.step();
    ASSERT_EQ(news.size(), 3U);
    EXPECT_EQ(news[0].what.state, sale::order_state::unpaid);
    EXPECT_EQ(news[1].what.state, sale::order_state::failed);
    EXPECT_EQ(gate.released, (std::vector<sale::order_no>{{1002}})) << "else it is held for ever";
}

// Knows the first promise from an earlier try, refuses the second, and fails when asked for orders.
struct half_known_sink final : order_sink {
    result<ledger::entry_report> enter(std::span<const sale::promise> batch,
                                       sale::sequence) override {
        ledger::entry_report report;
        report.known = report.refused = report.entered = 1;
        for (const sale::promise& p : batch.subspan(1)) {
            report.orders.push_back(sale::order_from(p));
            report.orders.back().state = sale::order_state::unpaid;
        }
        report.orders.front().state = sale::order_state::failed;
        return report;
    }
    result<void> put_aside(const sale::promise&, sale::sequence, const ledger::setback&) override {
        return errc::store_unavailable;
    }
    result<void> probe() override { return errc::store_unavailable; }
    result<sale::order> find(sale::order_no no) override {
        asked.push_back(no);
        return errc::store_unavailable;
    }
    std::vector<sale::order_no> asked;
};

TEST_F(DeskTest, WhatIsRefusedNowGoesBackWhateverTheBookSaysOfTheKnown) {
    half_known_sink half;
    desk work_on({source, half, gate, clock, node}, {.batch_max = 10}, {0});
    source.append(3);
    work_on.step();
    EXPECT_EQ(half.asked, (std::vector<sale::order_no>{{1001}}));
    EXPECT_EQ(gate.released, (std::vector<sale::order_no>{{1002}}));
    EXPECT_EQ(source.forgotten, 3U);
}

TEST_F(DeskTest, AfterARestartGoesOnWhereTheLedgerStands) {
    source.append(25);
    work.step();
    desk after = at({sink.position});
    while (after.step() != outcome::nothing) continue;
    expect_every_order_once(25);
}

TEST_F(DeskTest, EntersNothingTwiceWhenTheCrashCameBeforeTheAnswer) {
    source.append(25);
    work.step();
    desk after = at({0});  // the batch is in the ledger, but no news was told
    while (after.step() != outcome::nothing) continue;
    expect_every_order_once(25);
    EXPECT_EQ(source.forgotten, 25U);
}

TEST_F(DeskTest, ShowsHowFarBehindItIs) {
    EXPECT_EQ(work.read_figures().lag, milliseconds(0));
    source.append(15);
    sink.failures_left = 1;
    work.step();
    clock.advance(milliseconds(3001));
    EXPECT_EQ(work.read_figures().lag, milliseconds(3000)) << "promise 1 was made at noon + 1 ms";
    EXPECT_EQ(work.read_figures().backlog, 15U);
    EXPECT_EQ(work.read_figures().failing_since, noon);

    work.step();
    EXPECT_EQ(work.read_figures().backlog, 5U);
    EXPECT_EQ(work.read_figures().lag, milliseconds(2991)) << "the next came after promise 10";
    EXPECT_EQ(work.read_figures().last_batch, 10U);
    EXPECT_EQ(work.read_figures().batches, 1U);

    work.step();
    EXPECT_EQ(work.read_figures().lag, milliseconds(0));
}

TEST_F(DeskTest, MeasuresHowLongABatchTook) {
    source.append(1);
    sink.meanwhile = [this] { clock.advance(milliseconds(120)); };
    work.step();
    EXPECT_EQ(work.read_figures().last_batch_took, milliseconds(120));
    source.append(1);
    sink.meanwhile = [this] { clock.advance(milliseconds(-5000)); };
    work.step();
    EXPECT_EQ(work.read_figures().last_batch_took, milliseconds(0)) << "the clock was set back";
}

}  // namespace
}  // namespace floodgate::clerk
